// SPDX-License-Identifier: Apache-2.0
// Synchronisation of windows: when a rank may access a window, and when its accesses are done.
#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include <imbrex/mpi/window/window.hpp>

namespace imbrex::mpi {

namespace {

[[noreturn]] void out_of_step(const std::string& what) { throw error(MPI_ERR_RMA_SYNC, what); }

void check_assertion(int assertion, int allowed, const char* those) {
  if ((assertion & ~allowed) != 0)
    throw error(MPI_ERR_ASSERT,
                "the assertion is " + std::to_string(assertion) + "; it may consist of " + those);
}

}  // namespace

// ---- completion of accesses

bool window::take_dirty(int rank) {
  if (!std::exchange(targets_[static_cast<std::size_t>(rank)].is_dirty, false)) return false;
  std::erase(dirty_, rank);
  return true;
}

void window::ask(int rank) {
  if (!take_dirty(rank)) return;
  access_header header;
  header.kind = access_kind::flush;
  ++answers_;
  send(rank, header);
}

void window::await_answers() {
  await([this] { return answers_ == 0; }, "the replies of targets");
}

void window::finish(int rank) {
  const target& t = targets_[static_cast<std::size_t>(rank)];
  await([&t] { return t.pending == 0; }, "accesses", rank);
  ask(rank);
  await([this] { return answers_ == 0; }, "the answer", rank);
}

void window::finish_all() {
  await([this] { return pending_ == 0; }, "its accesses");
  for (const int rank : std::exchange(dirty_, {})) ask(rank);
  await_answers();
}

// ---- fences

void window::begin_access(epoch next, const char* function) {
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

void window::fence(int assertion) {
  check_assertion(assertion, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED,
                  "MPI_MODE_NOSTORE, _NOPUT, _NOPRECEDE and _NOSUCCEED");
  if (is_exposed_)
    out_of_step("MPI_Win_fence stands between MPI_Win_post and MPI_Win_wait; call MPI_Win_wait first");
  if (access_ != epoch::fence) begin_access(epoch::none, "MPI_Win_fence");
  finish_all();
  barrier(purpose::collective);
  has_accessed_ = false;
  access_ = (assertion & MPI_MODE_NOSUCCEED) != 0 ? epoch::none : epoch::fence;
}

// ---- post, start, complete and wait

int window::rank_in_window(const group& members, int i) const {
  const int found = in_->members().rank_of(members.world_rank(i));
  if (found == group::none)
    throw error(MPI_ERR_GROUP, "the rank " + std::to_string(i) +
                                   " of the group is none of the window; give a group of its ranks, as "
                                   "MPI_Win_get_group returns them");
  return found;
}

void window::post(const group& origins, int assertion) {
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
  for (const int rank : ranks) send(rank, header);
}

void window::start(const group& targets, int assertion) {
  check_assertion(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK");
  std::vector<int> ranks;
  for (int i = 0; i < targets.size(); ++i) ranks.push_back(rank_in_window(targets, i));
  begin_access(epoch::start, "MPI_Win_start");
  started_ = std::move(ranks);
  for (const int rank : started_) {
    target& t = targets_[static_cast<std::size_t>(rank)];
    if ((assertion & MPI_MODE_NOCHECK) == 0) {
      await([&t] { return t.posts > 0; }, "MPI_Win_post", rank);
      --t.posts;
    }
    t.is_started = true;
  }
}

void window::complete() {
  if (access_ != epoch::start)
    out_of_step("MPI_Win_complete stands behind no MPI_Win_start; call that first");
  await([this] { return pending_ == 0; }, "its accesses");
  // The target handles `end` after all earlier accesses of this rank, so no flush is needed.
  access_header header;
  header.kind = access_kind::end;
  for (const int rank : std::exchange(started_, {})) {
    targets_[static_cast<std::size_t>(rank)].is_started = false;
    (void)take_dirty(rank);
    send(rank, header);
  }
  access_ = epoch::none;
}

void window::wait() {
  if (!is_exposed_) out_of_step("MPI_Win_wait stands behind no MPI_Win_post; call that first");
  await([this] { return ends_ >= ends_awaited_; }, "MPI_Win_complete of those that MPI_Win_post has named");
  ends_ -= ends_awaited_;
  is_exposed_ = false;
}

bool window::test() {
  if (!is_exposed_) out_of_step("MPI_Win_test stands behind no MPI_Win_post; call that first");
  if (ends_ < ends_awaited_) self_.give_way();
  if (ends_ < ends_awaited_) return false;
  ends_ -= ends_awaited_;
  is_exposed_ = false;
  return true;
}

// ---- locks

void window::ask_for_lock(int rank, bool is_exclusive) {
  targets_[static_cast<std::size_t>(rank)].lock = lock_state::requested;
  access_header header;
  header.kind = access_kind::lock;
  header.is_exclusive = is_exclusive;
  send(rank, header);
}

void window::await_lock(int rank) {
  const target& t = targets_[static_cast<std::size_t>(rank)];
  await([&t] { return t.lock == lock_state::held; }, "the lock", rank);
}

/// Releases a lock. The accesses are done once the replies have arrived.
void window::release(int rank) {
  target& t = targets_[static_cast<std::size_t>(rank)];
  await([&t] { return t.pending == 0; }, "accesses", rank);
  if (std::exchange(t.lock, lock_state::none) == lock_state::unchecked) return ask(rank);
  access_header header;
  header.kind = access_kind::unlock;
  header.wants_answer = take_dirty(rank);
  if (header.wants_answer) ++answers_;
  send(rank, header);
}

void window::lock(int type, int rank, int assertion) {
  check_assertion(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK");
  if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE)
    throw error(MPI_ERR_LOCKTYPE, "the type of the lock is " + std::to_string(type) +
                                      "; it must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE");
  target& t = target_at(rank);
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

void window::unlock(int rank) {
  const target& t = target_at(rank);
  if (access_ != epoch::lock || t.lock == lock_state::none)
    out_of_step("rank " + std::to_string(rank) + " is not locked by MPI_Win_lock; call that first");
  release(rank);
  await_answers();
  if (--locks_held_ == 0) access_ = epoch::none;
  self_.give_way();
}

void window::lock_all(int assertion) {
  check_assertion(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK");
  begin_access(epoch::lock_all, "MPI_Win_lock_all");
  is_unchecked_ = (assertion & MPI_MODE_NOCHECK) != 0;
  if (is_unchecked_) return;
  // Only memory that the rank reaches by plain loads and stores is locked now; other targets are locked at
  // their first access.
  if (flavour_ == MPI_WIN_FLAVOR_SHARED)
    for (int rank = 0; rank < in_->size(); ++rank) locked_.push_back(rank);
  else
    locked_.push_back(in_->rank());
  for (const int rank : locked_) ask_for_lock(rank, false);
  for (const int rank : locked_) await_lock(rank);
}

void window::unlock_all() {
  if (access_ != epoch::lock_all)
    out_of_step("MPI_Win_unlock_all stands behind no MPI_Win_lock_all; call that first");
  for (const int rank : std::exchange(locked_, {})) release(rank);
  await_answers();
  access_ = epoch::none;
  self_.give_way();
}

// ---- flushes within a lock

void window::require_passive(int rank, const char* function) {
  const target& t = target_at(rank);
  if (access_ == epoch::lock_all || (access_ == epoch::lock && t.lock != lock_state::none)) return;
  out_of_step(std::string(function) + " needs a lock of rank " + std::to_string(rank) +
              "; call MPI_Win_lock or MPI_Win_lock_all first");
}

// Each flush yields, so that a rank that polls memory lets the rank that changes it run.

void window::flush(int rank) {
  require_passive(rank, "MPI_Win_flush");
  finish(rank);
  self_.give_way();
}

void window::flush_local(int rank) {
  require_passive(rank, "MPI_Win_flush_local");
  const target& t = targets_[static_cast<std::size_t>(rank)];
  await([&t] { return t.pending == 0; }, "accesses", rank);
  self_.give_way();
}

void window::flush_all() {
  if (access_ != epoch::lock && access_ != epoch::lock_all)
    out_of_step("MPI_Win_flush_all needs a lock; call MPI_Win_lock or MPI_Win_lock_all first");
  finish_all();
  self_.give_way();
}

void window::flush_local_all() {
  if (access_ != epoch::lock && access_ != epoch::lock_all)
    out_of_step("MPI_Win_flush_local_all needs a lock; call MPI_Win_lock or MPI_Win_lock_all first");
  await([this] { return pending_ == 0; }, "its accesses");
  self_.give_way();
}

/// Neither compiler nor processor may move the program's plain loads and stores of the window across this
/// call (MPI 3.1, section 11.7).
void window::sync() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  self_.give_way();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

// ---- destruction

void window::require_unused() const {
  if (is_exposed_) out_of_step("the window is exposed; call MPI_Win_wait before MPI_Win_free");
  if (access_ == epoch::start) out_of_step("call MPI_Win_complete before MPI_Win_free");
  if (access_ == epoch::lock) out_of_step("call MPI_Win_unlock before MPI_Win_free");
  if (access_ == epoch::lock_all) out_of_step("call MPI_Win_unlock_all before MPI_Win_free");
}

void window::leave() {
  finish_all();
  barrier(purpose::end);
  // An `unlock` packet may arrive after the barrier has ended.
  await([this] { return !locks_.is_held(); }, "locks to be given back");
}

}  // namespace imbrex::mpi
