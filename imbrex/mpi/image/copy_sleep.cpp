// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/copy_sleep.hpp>

#include <algorithm>
#include <cerrno>

#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/program_copy.hpp>

namespace imbrex::mpi {

sleep_end sleep_copy(copy_state& s, std::chrono::nanoseconds time, std::chrono::nanoseconds* left) {
  using std::chrono::nanoseconds;
  constexpr nanoseconds between_looks = std::chrono::milliseconds(10);
  copy_host* const host = s.host;
  // No other copy runs in a child.
  if (is_child() || !s.runs_here() || host == nullptr) return sleep_end::not_begun;
  const unsigned handled = s.signals.handled();
  do {
    const nanoseconds piece = s.signals.are_used() ? std::min(time, between_looks) : time;
    if (!host->sleep_for(piece)) return sleep_end::not_begun;
    time -= piece;
    if (left != nullptr) *left = time;
    s.signals.take();
    if (s.signals.handled() != handled) return sleep_end::interrupted;
  } while (time > nanoseconds(0));
  return sleep_end::passed;
}

[[gnu::noinline]] int failed_wait(int error) {
  errno = error;
  return -1;
}

}  // namespace imbrex::mpi
