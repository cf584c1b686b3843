// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <utility>

#include <imbrex/coro/task.hpp>

namespace imbrex {

/// How an entry runs that may suspend, by what it returns. `task` is one such type; a front end specialises
/// this for its own, such as an entry on a stack. All functions are called on the PE of the entry's chare.
///
/// - `result`: what the entry gives its caller in the end.
/// - `void* release(E&&)`: gives away the body, which `kind.destroy` frees, at its end or before.
/// - `bool start(void* body, scope& entry, const waiter& awaiter)`: runs it until it waits or ends. True if
///   it has ended; otherwise it resumes the awaiter at its end.
/// - `std::exception_ptr take_error(void* body)`: after its end, what has left it; null if nothing has.
/// - `storable<result> take_result(void* body)`: after its end, if nothing has left it.
/// - `static constexpr body_kind kind`.
///
/// A body waits by `await_by`, from within, with a waiter whose object is the body. When a body that can move
/// has been resumed and waits again, its front end calls `detail::retry_departure`: its chare may have been
/// kept from leaving by what it waited for before.
template <class E>
struct entry_body;

template <class E>
concept suspendable = requires { typename entry_body<E>::result; };

template <class R>
struct entry_body<task<R>> {
  using result = R;

  static void* release(task<R>&& t) { return t.release().address(); }
  static bool start(void* body, scope& entry, const waiter& awaiter) {
    const auto frame = frame_of(body);
    return frame.promise().start(frame, entry, awaiter);
  }
  static std::exception_ptr take_error(void* body) { return frame_of(body).promise().take_error(); }
  static detail::storable<R> take_result(void* body) {
    return detail::take_result<R>(frame_of(body).promise());
  }
  static void destroy(void* body) noexcept { frame_of(body).destroy(); }
  static constexpr body_kind kind{&destroy, false};

 private:
  static auto frame_of(void* body) { return task<R>::handle::from_address(body); }
};

namespace detail {

template <class E>
struct result_of_entry {
  using type = E;
};
template <suspendable E>
struct result_of_entry<E> {
  using type = typename entry_body<E>::result;
};

}  // namespace detail
}  // namespace imbrex
