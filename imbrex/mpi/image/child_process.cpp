// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/child_process.hpp>

#include <pthread.h>
#include <stdio_ext.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include <imbrex/mpi/image/internal/copy_state.hpp>

/// All streams of the C library, by `_chain`. While a process forks nobody else changes the list.
extern "C" std::FILE* _IO_list_all;

namespace imbrex::mpi {

namespace {

std::atomic<pid_t> process = 0;

/// The child flushes all streams at its end, but what other copies have written is the parent's to write. The
/// own output is left: of that, a child has its parent's as everywhere.
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
