// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/mpi/window/access_request.hpp>
#include <imbrex/mpi/window/window_link.hpp>

namespace imbrex::mpi {

/// The accesses of a rank that are not yet done: transfers that use its memory, and packets that targets have
/// not confirmed.
class access_completion {
 public:
  explicit access_completion(window_link& link) : link_(link) {}

  /// A transfer of long data, or of a result, begins or ends. `rma_request` ends with it; may be null.
  void begin_transfer(window_target& with);
  void end_transfer(window_target& with, access_request* rma_request);
  void await_transfers(int rank);
  void await_all_transfers();

  /// Accesses were sent to the rank, which confirms them when it is asked.
  void note_sent(int to);
  /// Takes the note that accesses were sent. False if there is none.
  bool take_sent(int rank);
  /// Requests a reply once all accesses sent to the rank are done.
  void ask(int rank);
  /// Another request of this rank will be answered, too.
  void expect_answer() { ++answers_; }
  void note_answer();
  void await_answers();

  void finish(int rank);
  void finish_all();

 private:
  window_link& link_;
  std::vector<int> dirty_;     ///< targets with unconfirmed accesses
  std::uint64_t pending_ = 0;  ///< sum of `pending` over all targets
  std::uint32_t answers_ = 0;  ///< `flushed` replies to receive
};

}  // namespace imbrex::mpi
