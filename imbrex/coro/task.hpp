// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <imbrex/base/pool.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/waiter.hpp>

namespace imbrex {

template <class R = void>
class task;

namespace detail {

/// Result of an awaitable without a result, where a value is needed.
struct nothing {
  bool operator==(const nothing&) const = default;
};

/// Part of a task's promise that does not depend on its result.
///
/// The awaiter of a task starts it, inside await_suspend. If the task ends before that call returns, the
/// awaiter continues without having been suspended. Otherwise the end of the task resumes it. So a loop over
/// tasks that never suspend needs no stack. This holds even if the compiler makes no tail calls (debug and
/// sanitizer builds).
class promise_base {
 public:
  static void* operator new(std::size_t bytes) { return pool::allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { pool::release(frame, bytes); }

  struct last_suspension {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> self) const noexcept {
      self.promise().end();
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  last_suspension final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error_ = std::current_exception(); }

  /// Starts the task for an entry. Returns true if it has ended already; otherwise its end resumes `awaiter`.
  bool start(std::coroutine_handle<> self, scope& entry, const waiter& awaiter) {
    entry_ = &entry;
    awaiter_ = awaiter;
    state_ = state::starting;
    self.resume();
    if (state_ == state::ended) return true;
    state_ = state::suspended;
    return false;
  }

  scope& entry() const { return *entry_; }
  /// Returns the exception that left the task, or null, and gives up ownership. So the exception can go to
  /// another PE with no owner left behind.
  std::exception_ptr take_error() { return std::exchange(error_, nullptr); }

 private:
  enum class state { unstarted, starting, suspended, ended };

  void end() noexcept {
    const bool awaited = state_ == state::suspended;
    state_ = state::ended;
    if (awaited) awaiter_.resume();  // may destroy this frame
  }

  scope* entry_ = nullptr;
  waiter awaiter_;
  std::exception_ptr error_;
  state state_ = state::unstarted;
};

template <class R>
class promise : public promise_base {
 public:
  task<R> get_return_object();
  template <class V>
    requires std::constructible_from<R, V>
  void return_value(V&& value) {
    value_.emplace(std::forward<V>(value));
  }
  R take() {
    if (auto thrown = this->take_error()) std::rethrow_exception(std::move(thrown));
    return std::move(*value_);
  }

 private:
  std::optional<R> value_;
};

template <>
class promise<void> : public promise_base {
 public:
  task<void> get_return_object();
  void return_void() const noexcept {}
  void take() {
    if (auto thrown = this->take_error()) std::rethrow_exception(std::move(thrown));
  }
};

template <class R>
struct task_awaiter {
  std::coroutine_handle<promise<R>> child;

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> parent) {
    return suspend(waiter(parent), parent.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) { return !child.promise().start(child, entry, who); }
  R await_resume() { return child.promise().take(); }
};

}  // namespace detail

/// A coroutine whose result is an R. An entry method that suspends returns a task, and so do the functions
/// that it awaits. A task starts when it is awaited, by one awaiter, on the PE of the entry that awaits it.
/// An exception that leaves the task reaches the awaiter. Destroying a task before its end destroys its
/// frame.
template <class R>
class [[nodiscard("a task does nothing until it is awaited: co_await it")]] task {
 public:
  using result_type = R;  ///< type that `co_await` of the task gives
  /// Type that the compiler finds for coroutines that return a task.
  using promise_type = detail::promise<R>;
  using handle = std::coroutine_handle<promise_type>;  ///< coroutine that a task owns

  /// Takes the ownership of a coroutine that has not started.
  explicit task(handle frame) : frame_(frame) {}
  task(task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~task() {
    if (frame_) frame_.destroy();
  }

  /// Gives the frame to the caller, who must destroy it.
  handle release() { return std::exchange(frame_, nullptr); }
  handle frame() const { return frame_; }  ///< The owned coroutine, which the task still owns.

  auto operator co_await() && noexcept { return detail::task_awaiter<R>{frame_}; }

 private:
  handle frame_;
};

template <class R>
task<R> detail::promise<R>::get_return_object() {
  return task<R>(std::coroutine_handle<promise>::from_promise(*this));
}
inline task<void> detail::promise<void>::get_return_object() {
  return task<void>(std::coroutine_handle<promise>::from_promise(*this));
}

namespace detail {

template <class R>
using storable = std::conditional_t<std::is_void_v<R>, nothing, R>;

template <class R>
storable<R> take_result(typename task<R>::promise_type& from) {
  if constexpr (std::is_void_v<R>) {
    from.take();
    return {};
  } else {
    return from.take();
  }
}

template <class A>
decltype(auto) awaiter_of(A&& awaitable) {
  if constexpr (requires { std::forward<A>(awaitable).operator co_await(); }) {
    return std::forward<A>(awaitable).operator co_await();
  } else if constexpr (requires { operator co_await(std::forward<A>(awaitable)); }) {
    return operator co_await(std::forward<A>(awaitable));
  } else {
    return std::forward<A>(awaitable);
  }
}

template <class A>
using await_result = std::remove_cvref_t<decltype(awaiter_of(std::declval<A>()).await_resume())>;

/// Wraps any awaitable in a task.
template <class A>
task<await_result<A>> as_task(A awaitable) {
  if constexpr (std::is_void_v<await_result<A>>) {
    co_await std::move(awaitable);
  } else {
    auto result = co_await std::move(awaitable);
    co_return std::move(result);
  }
}
template <class R>
task<R> as_task(task<R> t) {
  return t;
}

}  // namespace detail
}  // namespace imbrex
