// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include <imbrex/mpi/datatype/pack.hpp>
#include <imbrex/mpi/rank/access_table.hpp>
#include <imbrex/mpi/window/access.hpp>
#include <imbrex/mpi/window/access_completion.hpp>
#include <imbrex/mpi/window/access_epochs.hpp>
#include <imbrex/mpi/window/exposure.hpp>
#include <imbrex/mpi/window/lock_queue.hpp>
#include <imbrex/mpi/window/window_link.hpp>

namespace imbrex::mpi {

/// Serves the packets that other ranks send to a window of this rank, whatever the rank's code does.
class access_server final : public access_receiver {
 public:
  access_server(window_link& link, const exposure& own, access_completion& accesses, access_epochs& epochs)
      : link_(link), own_(own), accesses_(accesses), epochs_(epochs) {}
  ~access_server();

  void take_access(packet& p) override;
  /// Waits until no rank holds a lock of this one.
  void await_releases();

 private:
  /// The state that a target keeps per origin.
  struct origin {
    std::uint32_t accumulates = 0;  ///< accumulates whose data have not arrived
    std::deque<packet*> waiting;
  };
  struct incoming_data;

  static bool must_wait(const origin& from, access_kind kind);
  void serve_waiting(origin& from);
  void serve(origin& from, packet& p);
  void serve_access(origin& from, int source, const access_packet& a);
  void receive_data(origin& from, int source, const access_packet& a, const datatype_ref& type,
                    std::byte* at);
  void fold(int source, const access_header& header, const std::byte* data, const typed_buffer& at);
  void swap(int source, const access_header& header, const std::byte* data, const typed_buffer& at);
  void answer(int to, access_kind kind);
  void send_result(int to, std::int32_t tag, const typed_buffer& of);
  void send_packed(int to, std::int32_t tag, std::unique_ptr<std::byte[]> packed, std::int64_t bytes);
  void send_result(int to, std::int32_t tag, std::byte* begin, std::unique_ptr<std::byte[]> packed,
                   std::int64_t bytes);

  window_link& link_;
  const exposure& own_;
  access_completion& accesses_;
  access_epochs& epochs_;
  std::unordered_map<int, origin> origins_;
  lock_queue locks_;
};

}  // namespace imbrex::mpi
