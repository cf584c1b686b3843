// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <coroutine>
#include <string>

#include <imbrex/core/processor.hpp>
#include <imbrex/coro/scope.hpp>

namespace imbrex {
namespace detail {

class sleeper;

/// The timer of a sleeper, apart from it, since it may be queued when the sleeper is destroyed.
struct sleep_timer final : timer {
  sleeper* owner = nullptr;
};

/// What sleep_for gives: co_await it.
class [[nodiscard("co_await sleep_for")]] sleeper final : public suspension {
 public:
  explicit sleeper(nanoseconds time) : time_(time) {}
  sleeper(sleeper&& other) noexcept : time_(other.time_) {}
  ~sleeper();

  bool await_ready() const { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiter) {
    begin(waiter.promise().entry());
    waiter_ = waiter;
    start();
  }
  void await_resume() { end(); }
  std::string description() const override;
  awaited cause() const override { return {trace::wait_cause::timer, time_.count()}; }

 private:
  static void wake(work& item);
  static void forget(work& item) noexcept;
  static const work_type kind;
  void start();

  nanoseconds time_;
  std::coroutine_handle<> waiter_;
  sleep_timer* timer_ = nullptr;
};

}  // namespace detail

/// Resumes the entry after that time, on the machine's clock; the PE does other things meanwhile.
inline detail::sleeper sleep_for(std::chrono::nanoseconds time) { return detail::sleeper(time); }

}  // namespace imbrex
