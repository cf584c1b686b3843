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

/// A coroutine that has already ended with `result`.
struct ended_coroutine {
  nb::object result;
};

/// A Python coroutine that an entry runs: the entry's body, or one that the body awaits beside others.
/// Belongs to one PE; its functions are called with the interpreter's lock.
class coroutine {
 public:
  /// `what`: a coroutine or another awaitable.
  explicit coroutine(nb::object what);
  explicit coroutine(ended_coroutine what) : result_(std::move(what.result)) {}
  ~coroutine();
  coroutine(const coroutine&) = delete;
  coroutine& operator=(const coroutine&) = delete;

  /// Runs until the coroutine waits or ends. True if it has ended; otherwise its end resumes `awaiter`.
  bool start(scope& entry, const waiter& awaiter);
  /// The result after the end. Throws the exception that left the coroutine.
  nb::object result();
  /// The innermost suspended line: "prog.py:12, in run".
  std::string place() const;

 private:
  static void resume(void* self);
  bool advance();

  nb::object what_;
  nb::object waits_for_;  ///< the awaited awaitable_object
  nb::object result_;
  std::exception_ptr raised_;
  scope* entry_ = nullptr;
  waiter awaiter_;
};

/// Awaits a Python coroutine in a C++ coroutine.
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

/// The place where a body, which must be a `coroutine`, waits; for deadlock reports. Takes the interpreter's
/// lock.
std::string place_of_coroutine(const void* body);

}  // namespace imbrex::python
