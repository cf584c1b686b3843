// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/rank/access_table.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>

namespace imbrex::mpi {

/// The shared pointer of a file, in etypes. The first rank of the file has it. The others move it by packets,
/// which the PE of the first rank serves, whatever code the rank runs.
class shared_pointer final : public access_receiver {
 public:
  shared_pointer(rank& self, const ref<communicator>& in);
  ~shared_pointer();
  shared_pointer(const shared_pointer&) = delete;
  shared_pointer& operator=(const shared_pointer&) = delete;

  /// Moves the pointer forward, and waits for its value before.
  std::int64_t fetch_and_add(std::int64_t etypes);
  /// On the first rank: the value itself.
  std::int64_t value = 0;

  void take_access(packet& p) override;

 private:
  void send(int to, std::int32_t kind, std::int64_t number);

  rank& self_;
  ref<communicator> in_;
  request* waits_ = nullptr;  ///< for a reply; null: for none
  std::int64_t reply_ = 0;
};

}  // namespace imbrex::mpi
