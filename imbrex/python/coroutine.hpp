// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/coro/entry_body.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/coro/waiter.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// What stands for a coroutine that has ended with that result.
struct ended_coroutine {
  nb::object result;
};

/// A coroutine of Python that an entry runs: its own body, or one that it awaits beside others. It is its
/// PE's, and its functions are called with the interpreter's lock.
class coroutine {
 public:
  /// Of a coroutine, or anything else that can be awaited.
  explicit coroutine(nb::object what);
  explicit coroutine(ended_coroutine what) : result_(std::move(what.result)) {}
  ~coroutine();
  coroutine(const coroutine&) = delete;
  coroutine& operator=(const coroutine&) = delete;

  /// Runs until it waits or ends. True if it has ended; otherwise its end resumes the awaiter.
  bool start(scope& entry, const waiter& awaiter);
  /// After its end. Throws what left it.
  nb::object result();
  /// "prog.py:12, in run": the innermost place.
  std::string place() const;

 private:
  static void resume(void* self);
  bool advance();

  nb::object what_;
  nb::object waits_for_;  ///< an awaitable_object
  nb::object result_;
  std::exception_ptr raised_;
  scope* entry_ = nullptr;
  waiter awaiter_;
};

/// Awaits a coroutine of Python from one of C++.
class coroutine_awaiter {
 public:
  explicit coroutine_awaiter(nb::object what) : body_(std::move(what)) {}

  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry);
  nb::object await_resume() { return body_.result(); }

 private:
  coroutine body_;
};

/// For deadlock reports, of a body that is a `coroutine`. Takes the interpreter's lock.
std::string place_of_coroutine(const void* body);

}  // namespace imbrex::python
