// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <utility>

#include <imbrex/coro/task.hpp>

namespace imbrex {

/// Functions that run an entry that may suspend, by the type that it returns. `task` is one such type. A
/// front end specialises this template for a type of its own, such as an entry on a stack. All functions are
/// called on the PE of the entry's chare.
///
/// - `result`: the type of the entry's result.
/// - `void* release(E&&)`: returns the body and gives up ownership; `kind.destroy` frees it, at its end or
///   before.
/// - `bool start(void* body, scope& entry, const waiter& awaiter)`: runs the body until it waits or ends.
///   Returns true if it has ended; otherwise the body resumes the awaiter at its end.
/// - `std::exception_ptr take_error(void* body)`: after its end, returns the exception that left it, or null.
/// - `storable<result> take_result(void* body)`: after its end, returns the result, if no exception left it.
/// - `static constexpr body_kind kind`.
///
/// A body waits by calling `await_by` with a waiter whose object is the body. A body that can move may be
/// resumed and wait again. Its front end then calls `detail::retry_departure`, because the object of the
/// earlier wait may have kept its chare from leaving.
template <class E>
struct entry_body;

template <class E>
concept suspendable = requires { typename entry_body<E>::result; };

/// Entries that are coroutines of this library.
template <class R>
struct entry_body<task<R>> {
  using result = R;  ///< type that the entry's caller awaits

  /// Takes the body out of the task; `destroy` frees it.
  static void* release(task<R>&& t) { return t.release().address(); }
  /// Runs the body to its first wait. Returns true if it has ended by then.
  static bool start(void* body, scope& entry, const waiter& awaiter) {
    const auto frame = frame_of(body);
    return frame.promise().start(frame, entry, awaiter);
  }
  /// The exception that has ended the body; null if there is none.
  static std::exception_ptr take_error(void* body) { return frame_of(body).promise().take_error(); }
  /// The value that the body has returned.
  static detail::storable<R> take_result(void* body) {
    return detail::take_result<R>(frame_of(body).promise());
  }
  /// Frees the body, at its end or while it waits.
  static void destroy(void* body) noexcept { frame_of(body).destroy(); }
  static constexpr body_kind kind{&destroy, false};  ///< functions by which the core treats the body

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
