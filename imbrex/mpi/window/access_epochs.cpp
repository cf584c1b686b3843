// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/access_epochs.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

[[noreturn]] void out_of_step(const std::string& what) { throw error(MPI_ERR_RMA_SYNC, what); }

void check_assertion(int assertion, int allowed, const char* those) {
  if ((assertion & ~allowed) != 0)
    throw error(MPI_ERR_ASSERT,
                "the assertion is " + std::to_string(assertion) + "; it may consist of " + those);
}

}  // namespace

window_target& access_epochs::accessible(int rank) {
  window_target& t = link_.checked(rank);
  switch (access_) {
    case epoch::fence: has_accessed_ = true; return t;
    case epoch::start:
      if (t.is_started) return t;
      throw error(MPI_ERR_RMA_SYNC, "rank " + std::to_string(rank) +
                                        " is not among those that MPI_Win_start has named, so that it cannot "
                                        "be accessed before MPI_Win_complete");
    case epoch::lock:
      if (t.lock != lock_state::none) return t;
      throw error(MPI_ERR_RMA_SYNC,
                  "rank " + std::to_string(rank) + " is not locked; call MPI_Win_lock for it first");
    case epoch::lock_all:
      if (t.lock != lock_state::none) return t;
      locked_.push_back(rank);
      if (is_unchecked_) {
        t.lock = lock_state::unchecked;
      } else {
        ask_for_lock(rank, false);
        await_lock(rank);
      }
      return t;
    case epoch::none: break;
  }
  throw error(MPI_ERR_RMA_SYNC,
              "the window cannot be accessed now: call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or "
              "MPI_Win_lock_all first");
}

void access_epochs::note_lock(int rank) {
  link_[rank].lock = lock_state::held;
  link_.note();
}

void access_epochs::note_post(int rank) {
  ++link_[rank].posts;
  link_.note();
}

void access_epochs::note_end() {
  ++ends_;
  link_.note();
}

// ---- fences

void access_epochs::begin_access(epoch next, const char* function) {
  if (access_ == epoch::fence && !has_accessed_) access_ = epoch::none;
  if (access_ == epoch::fence)
    out_of_step(std::string(function) +
                " stands behind accesses after a fence, which another MPI_Win_fence must end");
  if (access_ == epoch::start)
    out_of_step(std::string(function) +
                " stands between MPI_Win_start and MPI_Win_complete; call MPI_Win_complete first");
  if (access_ == epoch::lock_all)
    out_of_step(std::string(function) +
                " stands between MPI_Win_lock_all and MPI_Win_unlock_all; call MPI_Win_unlock_all first");
  if (access_ == epoch::lock && next != epoch::lock)
    out_of_step(std::string(function) +
                " stands between MPI_Win_lock and MPI_Win_unlock; call MPI_Win_unlock first");
  access_ = next;
}

void access_epochs::fence(int assertion) {
  check_assertion(assertion, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED,
                  "MPI_MODE_NOSTORE, _NOPUT, _NOPRECEDE and _NOSUCCEED");
  if (is_exposed_)
    out_of_step("MPI_Win_fence stands between MPI_Win_post and MPI_Win_wait; call MPI_Win_wait first");
  if (access_ != epoch::fence) begin_access(epoch::none, "MPI_Win_fence");
  accesses_.finish_all();
  link_.barrier(purpose::collective);
  has_accessed_ = false;
  access_ = (assertion & MPI_MODE_NOSUCCEED) != 0 ? epoch::none : epoch::fence;
}

// ---- post, start, complete and wait

int access_epochs::rank_in_window(const group& members, int i) const {
  const int found = link_.in()->members().rank_of(members.world_rank(i));
  if (found == group::none)
    throw error(MPI_ERR_GROUP, "the rank " + std::to_string(i) +
                                   " of the group is none of the window; give a group of its ranks, as "
                                   "MPI_Win_get_group returns them");
  return found;
}

void access_epochs::post(const group& origins, int assertion) {
  check_assertion(assertion, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT,
                  "MPI_MODE_NOCHECK, _NOSTORE and _NOPUT");
  if (is_exposed_) out_of_step("the window is exposed already; call MPI_Win_wait first");
  std::vector<int> ranks;
  for (int i = 0; i < origins.size(); ++i) ranks.push_back(rank_in_window(origins, i));
  is_exposed_ = true;
  ends_awaited_ = static_cast<std::uint32_t>(ranks.size());
  if ((assertion & MPI_MODE_NOCHECK) != 0) return;
  access_header header;
  header.kind = access_kind::post;
  for (const int rank : ranks) link_.send(rank, header);
}

void access_epochs::start(const group& targets, int assertion) {
  check_assertion(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK");
  std::vector<int> ranks;
  for (int i = 0; i < targets.size(); ++i) ranks.push_back(rank_in_window(targets, i));
  begin_access(epoch::start, "MPI_Win_start");
  started_ = std::move(ranks);
  for (const int rank : started_) {
    window_target& t = link_[rank];
    if ((assertion & MPI_MODE_NOCHECK) == 0) {
      link_.await([&t] { return t.posts > 0; }, "MPI_Win_post", rank);
      --t.posts;
    }
    t.is_started = true;
  }
}

void access_epochs::complete() {
  if (access_ != epoch::start)
    out_of_step("MPI_Win_complete stands behind no MPI_Win_start; call that first");
  accesses_.await_all_transfers();
  // The target handles `end` after all earlier accesses of this rank, so no flush is needed.
  access_header header;
  header.kind = access_kind::end;
  for (const int rank : std::exchange(started_, {})) {
    link_[rank].is_started = false;
    (void)accesses_.take_sent(rank);
    link_.send(rank, header);
  }
  access_ = epoch::none;
}

void access_epochs::wait() {
  if (!is_exposed_) out_of_step("MPI_Win_wait stands behind no MPI_Win_post; call that first");
  link_.await([this] { return ends_ >= ends_awaited_; },
              "MPI_Win_complete of those that MPI_Win_post has named");
  end_exposure();
}

bool access_epochs::test() {
  if (!is_exposed_) out_of_step("MPI_Win_test stands behind no MPI_Win_post; call that first");
  if (ends_ < ends_awaited_) link_.self().give_way();
  if (ends_ < ends_awaited_) return false;
  end_exposure();
  return true;
}

void access_epochs::end_exposure() {
  ends_ -= ends_awaited_;
  is_exposed_ = false;
}

// ---- locks

void access_epochs::ask_for_lock(int rank, bool is_exclusive) {
  link_[rank].lock = lock_state::requested;
  access_header header;
  header.kind = access_kind::lock;
  header.is_exclusive = is_exclusive;
  link_.send(rank, header);
}

void access_epochs::await_lock(int rank) {
  const window_target& t = link_[rank];
  link_.await([&t] { return t.lock == lock_state::held; }, "the lock", rank);
}

/// Releases a lock. The accesses are done once the replies have arrived.
void access_epochs::release(int rank) {
  window_target& t = link_[rank];
  accesses_.await_transfers(rank);
  if (std::exchange(t.lock, lock_state::none) == lock_state::unchecked) return accesses_.ask(rank);
  access_header header;
  header.kind = access_kind::unlock;
  header.wants_answer = accesses_.take_sent(rank);
  if (header.wants_answer) accesses_.expect_answer();
  link_.send(rank, header);
}

void access_epochs::lock(int type, int rank, int assertion) {
  check_assertion(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK");
  if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE)
    throw error(MPI_ERR_LOCKTYPE, "the type of the lock is " + std::to_string(type) +
                                      "; it must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE");
  window_target& t = link_.checked(rank);
  if (t.lock != lock_state::none && access_ == epoch::lock)
    out_of_step("rank " + std::to_string(rank) + " is locked already; call MPI_Win_unlock first");
  begin_access(epoch::lock, "MPI_Win_lock");
  ++locks_held_;
  if ((assertion & MPI_MODE_NOCHECK) != 0) {
    t.lock = lock_state::unchecked;
    return;
  }
  ask_for_lock(rank, type == MPI_LOCK_EXCLUSIVE);
  await_lock(rank);
}

void access_epochs::unlock(int rank) {
  const window_target& t = link_.checked(rank);
  if (access_ != epoch::lock || t.lock == lock_state::none)
    out_of_step("rank " + std::to_string(rank) + " is not locked by MPI_Win_lock; call that first");
  release(rank);
  accesses_.await_answers();
  if (--locks_held_ == 0) access_ = epoch::none;
  link_.self().give_way();
}

void access_epochs::lock_all(int assertion) {
  check_assertion(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK");
  begin_access(epoch::lock_all, "MPI_Win_lock_all");
  is_unchecked_ = (assertion & MPI_MODE_NOCHECK) != 0;
  if (is_unchecked_) return;
  // Only memory that the rank reaches by plain loads and stores is locked now; other targets are locked at
  // their first access.
  if (memory_.flavour() == MPI_WIN_FLAVOR_SHARED)
    for (int rank = 0; rank < link_.in()->size(); ++rank) locked_.push_back(rank);
  else
    locked_.push_back(link_.in()->rank());
  for (const int rank : locked_) ask_for_lock(rank, false);
  for (const int rank : locked_) await_lock(rank);
}

void access_epochs::unlock_all() {
  if (access_ != epoch::lock_all)
    out_of_step("MPI_Win_unlock_all stands behind no MPI_Win_lock_all; call that first");
  for (const int rank : std::exchange(locked_, {})) release(rank);
  accesses_.await_answers();
  access_ = epoch::none;
  link_.self().give_way();
}

// ---- flushes within a lock

void access_epochs::require_passive(int rank, const char* function) {
  const window_target& t = link_.checked(rank);
  if (access_ == epoch::lock_all || (access_ == epoch::lock && t.lock != lock_state::none)) return;
  out_of_step(std::string(function) + " needs a lock of rank " + std::to_string(rank) +
              "; call MPI_Win_lock or MPI_Win_lock_all first");
}

// Each flush yields, so that a rank that polls memory lets the rank that changes it run.

void access_epochs::flush(int rank) {
  require_passive(rank, "MPI_Win_flush");
  accesses_.finish(rank);
  link_.self().give_way();
}

void access_epochs::flush_local(int rank) {
  require_passive(rank, "MPI_Win_flush_local");
  accesses_.await_transfers(rank);
  link_.self().give_way();
}

void access_epochs::flush_all() {
  if (access_ != epoch::lock && access_ != epoch::lock_all)
    out_of_step("MPI_Win_flush_all needs a lock; call MPI_Win_lock or MPI_Win_lock_all first");
  accesses_.finish_all();
  link_.self().give_way();
}

void access_epochs::flush_local_all() {
  if (access_ != epoch::lock && access_ != epoch::lock_all)
    out_of_step("MPI_Win_flush_local_all needs a lock; call MPI_Win_lock or MPI_Win_lock_all first");
  accesses_.await_all_transfers();
  link_.self().give_way();
}

/// Neither compiler nor processor may move the program's plain loads and stores of the window across this
/// call (MPI 3.1, section 11.7).
void access_epochs::sync() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  link_.self().give_way();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

// ---- destruction

void access_epochs::require_unused() const {
  if (is_exposed_) out_of_step("the window is exposed; call MPI_Win_wait before MPI_Win_free");
  if (access_ == epoch::start) out_of_step("call MPI_Win_complete before MPI_Win_free");
  if (access_ == epoch::lock) out_of_step("call MPI_Win_unlock before MPI_Win_free");
  if (access_ == epoch::lock_all) out_of_step("call MPI_Win_unlock_all before MPI_Win_free");
}

}  // namespace imbrex::mpi
