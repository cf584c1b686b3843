// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/child_process.hpp>

#include <pthread.h>
#include <stdio_ext.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include <imbrex/mpi/image/internal/copy_state.hpp>

/// List of all streams of the C library, linked by `_chain`. No other thread changes it during a fork.
extern "C" std::FILE* _IO_list_all;

namespace imbrex::mpi {

namespace {

std::atomic<pid_t> process = 0;

/// Clears stream buffers in a child, which flushes all streams at its end: output of other copies is the
/// parent's to write. The running copy's own output stays, as after any fork.
void leave_streams_to_parent() {
  const copy_state* const own = running_state();
  for (std::FILE* each = _IO_list_all; each != nullptr; each = each->_chain)
    if ((own == nullptr || each != own->output.stream()) && ::__fpending(each) > 0) ::__fpurge(each);
}

}  // namespace

void watch_children() {
  pid_t none = 0;
  if (!process.compare_exchange_strong(none, ::getpid())) return;
  ::pthread_atfork(&line_output::lock_all, &line_output::unlock_all, [] {
    line_output::unlock_all();
    leave_streams_to_parent();
  });
}

bool is_child() noexcept {
  const pid_t own = process.load(std::memory_order_relaxed);
  return own != 0 && ::getpid() != own;
}

}  // namespace imbrex::mpi
