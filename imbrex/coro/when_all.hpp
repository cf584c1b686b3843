// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/coro/task.hpp>

namespace imbrex {

namespace detail {

/// Runs several tasks for one awaiter and resumes it when the last has ended.
class join {
 public:
  /// Starts the tasks. Returns true if all of them have ended already. `for_each_task` calls its argument
  /// with each task.
  template <class ForEachTask>
  bool start(const waiter& who, scope& entry, ForEachTask for_each_task) {
    waiter_ = who;
    running_ = 1;
    for_each_task([&](auto& t) {
      ++running_;
      if (t.frame().promise().start(t.frame(), entry, waiter(&join::one_ended, this))) --running_;
    });
    return --running_ == 0;
  }

 private:
  static void one_ended(void* self) {
    auto* j = static_cast<join*>(self);
    if (--j->running_ == 0) j->waiter_.resume();
  }

  waiter waiter_;
  std::size_t running_ = 0;
};

template <class... R>
class [[nodiscard("co_await what when_all returns")]] all_of {
 public:
  explicit all_of(task<R>... tasks) : tasks_(std::move(tasks)...) {}

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> parent) {
    return suspend(waiter(parent), parent.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    return !join_.start(who, entry,
                        [this](auto visit) { std::apply([&](auto&... t) { (visit(t), ...); }, tasks_); });
  }
  std::tuple<storable<R>...> await_resume() {
    return std::apply(
        [](auto&... t) { return std::tuple<storable<R>...>{take_result<R>(t.frame().promise())...}; },
        tasks_);
  }

 private:
  std::tuple<task<R>...> tasks_;
  join join_;
};

template <class R>
class [[nodiscard("co_await what when_all returns")]] all_of_many {
 public:
  explicit all_of_many(std::vector<task<R>> tasks) : tasks_(std::move(tasks)) {}

  bool await_ready() const noexcept { return tasks_.empty(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> parent) {
    return suspend(waiter(parent), parent.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    return !join_.start(who, entry, [this](auto visit) {
      for (auto& t : tasks_) visit(t);
    });
  }
  auto await_resume() {
    if constexpr (std::is_void_v<R>) {
      for (auto& t : tasks_) t.frame().promise().take();
    } else {
      std::vector<R> results;
      results.reserve(tasks_.size());
      for (auto& t : tasks_) results.push_back(t.frame().promise().take());
      return results;
    }
  }

 private:
  std::vector<task<R>> tasks_;
  join join_;
};

template <class A>
std::vector<task<await_result<A>>> as_tasks(std::vector<A> awaitables) {
  std::vector<task<await_result<A>>> tasks;
  tasks.reserve(awaitables.size());
  for (auto& a : awaitables) tasks.push_back(as_task(std::move(a)));
  return tasks;
}

}  // namespace detail

/// Awaits several awaitables, which make progress side by side. Returns the tuple of their results, with
/// `nothing` for awaitables without a result. If some throw, the first exception, in the order of the
/// arguments, is thrown here after all have ended.
template <class... A>
  requires(sizeof...(A) > 0)
auto when_all(A... awaitables) {
  return detail::all_of<detail::await_result<A>...>(detail::as_task(std::move(awaitables))...);
}

/// Awaits any number of awaitables of one type. Returns a vector of the results in the same order, or void.
template <class A>
auto when_all(std::vector<A> awaitables) {
  return detail::all_of_many<detail::await_result<A>>(detail::as_tasks(std::move(awaitables)));
}

}  // namespace imbrex
