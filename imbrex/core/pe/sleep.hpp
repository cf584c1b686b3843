// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstdint>
#include <string>

#include <imbrex/base/standard/duration.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/waiter.hpp>

namespace imbrex {
namespace detail {

class sleeper;

/// The timer of a sleeper; a separate object, since it may be queued when the sleeper is destroyed.
struct sleep_timer final : timer {
  sleeper* owner = nullptr;
};

/// The awaitable of `sleep_for`: co_await it.
class [[nodiscard("co_await sleep_for")]] sleeper final : public suspension {
 public:
  explicit sleeper(nanoseconds time, std::int8_t priority = 0) : time_(time), priority_(priority) {}
  sleeper(sleeper&& other) noexcept : time_(other.time_), priority_(other.priority_) {}
  ~sleeper();

  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    begin(entry);
    waiter_ = who;
    start();
    return true;
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
  std::int8_t priority_;
  waiter waiter_;
  sleep_timer* timer_ = nullptr;
};

/// Converts to nanoseconds: negative times to 0, and times that are too long to the largest value.
template <class Rep, class Period>
nanoseconds sleeping_time(const std::chrono::duration<Rep, Period>& time) {
  using seconds = std::chrono::duration<double>;
  if (!(seconds(time) < seconds(nanoseconds::max()))) return nanoseconds::max();
  return seconds(time) > seconds(0) ? std::chrono::ceil<nanoseconds>(time) : nanoseconds(0);
}

}  // namespace detail

/// Resumes the entry after `time` on the machine's clock; the PE runs other work meanwhile. Any length is
/// allowed: `sleep_for(std::chrono::hours::max())` does not end.
template <class Rep, class Period>
detail::sleeper sleep_for(const std::chrono::duration<Rep, Period>& time) {
  return detail::sleeper(detail::sleeping_time(time));
}

/// Resumes the entry when the PE has run all work that has arrived, including messages from other processes.
/// Meant for long computations in pieces, which would delay messages. If several entries give way, one
/// resumes at a time.
inline detail::sleeper give_way() { return detail::sleeper(nanoseconds(0), 1); }

}  // namespace imbrex
