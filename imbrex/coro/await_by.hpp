// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <imbrex/coro/task.hpp>

namespace imbrex {

namespace detail {

/// An awaiter for any waiter, not only for a coroutine. `suspend` returns false if the result is there
/// already. Otherwise it returns before the waiter is resumed.
template <class A>
concept awaiter_for_any = requires(A& a, const waiter& who, scope& entry) {
  { a.suspend(who, entry) } -> std::same_as<bool>;
};

/// An awaiter that must not move with its entry checks its PE.
template <class A>
concept bound_to_pe = requires(const A& a) { a.check_pe(); };

/// Kept out of line, so that the compiler keeps no address of a thread-local variable across the wait.
template <class A>
[[gnu::noinline]] decltype(auto) result_after_wait(A& awaiter) {
  return awaiter.await_resume();
}

}  // namespace detail

/// Awaits, in the body of an entry that is no coroutine, anything that an entry can co_await. Examples are a
/// mailbox, a call, a reduction, a timer, a device, quiescence, a task, or several of them by when_all or
/// when_any. `who` is the waiter. `yield()` leaves the body, and returns when `who` is resumed. The awaiter
/// lies on the body's stack meanwhile, so the stack of a dropped body must be unwound. If the body can move
/// (`body_kind::can_move`), another thread may continue its code after a wait. The code must then keep no
/// address of a thread-local variable.
template <class A, class Yield>
detail::await_result<A> await_by(A&& awaitable, const waiter& who, scope& entry, const Yield& yield) {
  decltype(auto) awaiter = detail::awaiter_of(std::forward<A>(awaitable));
  if constexpr (detail::awaiter_for_any<decltype(awaiter)>) {
    if constexpr (detail::bound_to_pe<std::remove_cvref_t<decltype(awaiter)>>) awaiter.check_pe();
    if (!awaiter.await_ready() && awaiter.suspend(who, entry)) yield();
    return detail::result_after_wait(awaiter);
  } else {
    return await_by(detail::as_task(std::forward<A>(awaitable)), who, entry, yield);
  }
}

}  // namespace imbrex
