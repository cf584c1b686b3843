// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/processor_claims.hpp>

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <imbrex/base/host/processor_mask.hpp>

namespace imbrex::detail {
namespace {

/// Time after which a thread that waited for another's processor runs there, once the other has left it.
constexpr std::int64_t hand_over_ns = 20'000;

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

processor_claims::processor_claims(std::size_t threads, times longest) : claims_(threads), times_(longest) {}

int processor_claims::place(std::size_t thread) const noexcept {
  return claims_[thread].place.load(std::memory_order_relaxed);
}

void processor_claims::leave(std::size_t thread) noexcept {
  claims_[thread].is_awake = false;
  claims_[thread].ends.store(now_ns() + hand_over_ns, std::memory_order_relaxed);
}

void processor_claims::settle(std::size_t thread) noexcept {
  const int own = ::sched_getcpu();
  claim& held = claims_[thread];
  if (own < 0) return;
  held.ends.store(now_ns() + times_.claim.count(), std::memory_order_relaxed);
  if (std::exchange(held.is_awake, true) && place(thread) == own) return;
  // If two threads arrive at one processor at once, at least one sees the other.
  held.place.store(own, std::memory_order_seq_cst);
  if (!is_anybody_else_on(own, thread)) return;
  const std::int64_t now = now_ns();
  if (now < held.next_move) return;
  held.next_move = now + times_.between_moves.count();
  try {
    move(thread, own);
  } catch (...) {  // no memory for a list of processors: the thread stays
  }
}

bool processor_claims::is_anybody_else_on(int processor, std::size_t thread) const noexcept {
  for (std::size_t other = 0; other < claims_.size(); ++other) {
    const claim& held = claims_[other];
    if (other == thread || held.place.load(std::memory_order_seq_cst) != processor) continue;
    if (now_ns() < held.ends.load(std::memory_order_relaxed)) return true;
  }
  return false;
}

void processor_claims::move(std::size_t thread, int from) {
  const std::lock_guard hold(moves_);
  if (!is_anybody_else_on(from, thread)) return;
  claim& held = claims_[thread];
  const processor_mask mask = affinity_of_this_thread();
  auto choices = processors_in(mask);
  std::ranges::rotate(choices, std::ranges::upper_bound(choices, from));
  for (const int choice : choices) {
    if (is_anybody_else_on(choice, thread)) continue;
    held.place.store(choice, std::memory_order_seq_cst);
    if (is_anybody_else_on(choice, thread)) continue;  // another thread arrived there at the same time
    if (!set_affinity_of_this_thread(mask_of(choice))) break;
    set_affinity_of_this_thread(mask);
    return;
  }
  held.place.store(from, std::memory_order_seq_cst);
}

}  // namespace imbrex::detail
