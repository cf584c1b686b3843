// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/mpi/user_request.hpp>
#include <imbrex/mpi/window/access_completion.hpp>
#include <imbrex/mpi/window/access_epochs.hpp>
#include <imbrex/mpi/window/access_request.hpp>
#include <imbrex/mpi/window/exposure.hpp>
#include <imbrex/mpi/window/window_link.hpp>

namespace imbrex::mpi {

/// Accesses of a rank to the memory of the other ranks of a window. They throw mpi::error.
class origin_accesses {
 public:
  origin_accesses(window_link& link, access_completion& pending, access_epochs& epochs, const exposure& own)
      : link_(link), pending_(pending), epochs_(epochs), own_(own) {}

  /// Data of a target. `at` gives their count and type; its address is ignored.
  struct place {
    int rank;
    std::int64_t displacement;
    user_buffer at;
  };
  // `rma_request` is the request to complete; may be null.
  void put(const user_buffer& data, const place& to, access_request* rma_request);
  void get(const user_buffer& result, const place& from, access_request* rma_request);
  void accumulate(const user_buffer& data, const place& to, int operation, access_request* rma_request);
  void get_accumulate(const user_buffer& data, const user_buffer& result, const place& to, int operation,
                      access_request* rma_request);
  /// The place has one value.
  void compare_and_swap(const void* data, const void* compared, void* result, const place& to);

 private:
  struct outgoing_data;
  struct result_receive;

  std::int64_t place_in(const window_target& t, std::int64_t displacement) const;
  void check_range(const window_target& t, std::int64_t place, const user_buffer& at) const;
  /// Sends a packet with the data, or one that announces a separate message with them.
  void send_data(int to, access_header header, const user_buffer& at, const user_buffer& data,
                 access_request* rma_request);
  void expect_result(int from, std::int32_t tag, const user_buffer& into, access_request* rma_request);

  window_link& link_;
  access_completion& pending_;
  access_epochs& epochs_;
  const exposure& own_;
};

}  // namespace imbrex::mpi
