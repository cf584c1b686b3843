// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/packet.hpp>

namespace imbrex::mpi {

/// Who takes packets of one-sided communication, whatever the rank does meanwhile.
class access_receiver {
 public:
  /// On the PE's stack, or on that of another rank. It consumes the packet.
  virtual void take_access(packet& p) = 0;

 protected:
  ~access_receiver() = default;
};

/// Those of one rank, by the context of their packets. Nobody sends any before the receiver is there.
class access_table {
 public:
  void add(std::uint64_t context, access_receiver& receiver) { receivers_[context] = &receiver; }
  void remove(std::uint64_t context) { receivers_.erase(context); }

  void deliver(packet& p) {
    const auto found = receivers_.find(p.head.context);
    if (found == receivers_.end())
      throw imbrex::error("rank " + std::to_string(p.from) + " accesses a window that is not there");
    found->second->take_access(p);
  }

 private:
  std::unordered_map<std::uint64_t, access_receiver*> receivers_;
};

}  // namespace imbrex::mpi
