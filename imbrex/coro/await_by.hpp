// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <imbrex/coro/task.hpp>

namespace imbrex {

namespace detail {

/// An awaiter that any waiter can wait by, not only a coroutine. `suspend` returns false if the result is
/// there already; otherwise it returns before the waiter is resumed.
template <class A>
concept awaiter_for_any = requires(A& a, const waiter& who, scope& entry) {
  { a.suspend(who, entry) } -> std::same_as<bool>;
};

/// What must not move with its entry says so.
template <class A>
concept bound_to_pe = requires(const A& a) { a.check_pe(); };

/// Apart, so that the compiler keeps no address of a thread's variables from before the wait.
template <class A>
[[gnu::noinline]] decltype(auto) result_after_wait(A& awaiter) {
  return awaiter.await_resume();
}

}  // namespace detail

/// Awaits, in the body of an entry that is no coroutine, what an entry can co_await: a mailbox, a call, a
/// reduction, a timer, a device, quiescence, a task, several of them by when_all or when_any. `who` is what
/// waits; `yield()` leaves the body, and returns when `who` is resumed. What is awaited lies on the body's
/// stack meanwhile; so whoever drops a body must unwind its stack. Where the body can move
/// (`body_kind::can_move`), its code goes on with another thread after a wait, and must not have kept the
/// address of a thread's variable.
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
