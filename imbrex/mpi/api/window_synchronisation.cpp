// SPDX-License-Identifier: Apache-2.0
// Synchronisation of windows: when they may be accessed, and when accesses are done.
#include <imbrex/mpi/api/window.hpp>

namespace imbrex::mpi {

namespace {

/// Calls body(window) unless the rank is MPI_PROC_NULL.
template <typename Body>
int call_for_rank(const char* function, int rank, MPI_Win win, Body body) {
  return call_on_window(function, win, [&](rank_data&, window& of) {
    if (rank != MPI_PROC_NULL) body(of);
  });
}

}  // namespace

IMBREX_MPI_DEFINE(int, Win_fence, (int assertion, MPI_Win win)) {
  return call_on_window("MPI_Win_fence", win, [&](rank_data&, window& of) { of.epochs.fence(assertion); });
}

IMBREX_MPI_DEFINE(int, Win_post, (MPI_Group group, int assertion, MPI_Win win)) {
  return call_on_window("MPI_Win_post", win, [&](rank_data& data, window& of) {
    of.epochs.post(data.objects().members(group), assertion);
  });
}
IMBREX_MPI_DEFINE(int, Win_start, (MPI_Group group, int assertion, MPI_Win win)) {
  return call_on_window("MPI_Win_start", win, [&](rank_data& data, window& of) {
    of.epochs.start(data.objects().members(group), assertion);
  });
}
IMBREX_MPI_DEFINE(int, Win_complete, (MPI_Win win)) {
  return call_on_window("MPI_Win_complete", win, [](rank_data&, window& of) { of.epochs.complete(); });
}
IMBREX_MPI_DEFINE(int, Win_wait, (MPI_Win win)) {
  return call_on_window("MPI_Win_wait", win, [](rank_data&, window& of) { of.epochs.wait(); });
}
IMBREX_MPI_DEFINE(int, Win_test, (MPI_Win win, int* flag)) {
  return call_on_window("MPI_Win_test", win,
                        [&](rank_data&, window& of) { *flag = of.epochs.test() ? 1 : 0; });
}

IMBREX_MPI_DEFINE(int, Win_lock, (int lock_type, int rank, int assertion, MPI_Win win)) {
  return call_for_rank("MPI_Win_lock", rank, win,
                       [&](window& of) { of.epochs.lock(lock_type, rank, assertion); });
}
IMBREX_MPI_DEFINE(int, Win_unlock, (int rank, MPI_Win win)) {
  return call_for_rank("MPI_Win_unlock", rank, win, [&](window& of) { of.epochs.unlock(rank); });
}
IMBREX_MPI_DEFINE(int, Win_lock_all, (int assertion, MPI_Win win)) {
  return call_on_window("MPI_Win_lock_all", win,
                        [&](rank_data&, window& of) { of.epochs.lock_all(assertion); });
}
IMBREX_MPI_DEFINE(int, Win_unlock_all, (MPI_Win win)) {
  return call_on_window("MPI_Win_unlock_all", win, [](rank_data&, window& of) { of.epochs.unlock_all(); });
}

IMBREX_MPI_DEFINE(int, Win_flush, (int rank, MPI_Win win)) {
  return call_for_rank("MPI_Win_flush", rank, win, [&](window& of) { of.epochs.flush(rank); });
}
IMBREX_MPI_DEFINE(int, Win_flush_local, (int rank, MPI_Win win)) {
  return call_for_rank("MPI_Win_flush_local", rank, win, [&](window& of) { of.epochs.flush_local(rank); });
}
IMBREX_MPI_DEFINE(int, Win_flush_all, (MPI_Win win)) {
  return call_on_window("MPI_Win_flush_all", win, [](rank_data&, window& of) { of.epochs.flush_all(); });
}
IMBREX_MPI_DEFINE(int, Win_flush_local_all, (MPI_Win win)) {
  return call_on_window("MPI_Win_flush_local_all", win,
                        [](rank_data&, window& of) { of.epochs.flush_local_all(); });
}
IMBREX_MPI_DEFINE(int, Win_sync, (MPI_Win win)) {
  return call_on_window("MPI_Win_sync", win, [](rank_data&, window& of) { of.epochs.sync(); });
}

}  // namespace imbrex::mpi
