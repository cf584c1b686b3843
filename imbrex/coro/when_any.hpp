// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <imbrex/coro/when_all.hpp>

namespace imbrex {

/// Result of `when_any`: the index of the awaitable that ended first, and its result.
template <class V>
struct any_result {
  std::size_t index;  ///< place of the awaitable that has ended first, among the arguments
  V value;            ///< result of that awaitable
};

namespace detail {

/// Runs several tasks for one awaiter and resumes it when the first has ended. The others are destroyed
/// together with the object.
class race {
 public:
  template <class ForEachTask>
  bool start(const waiter& who, scope& entry, ForEachTask for_each_task) {
    waiter_ = who;
    std::size_t place = 0;
    for_each_task([&](auto& t, runner& r) {
      r = {this, place++};
      if (!decided_ && t.frame().promise().start(t.frame(), entry, waiter(&race::one_ended, &r)))
        decide(r.index);
    });
    started_ = true;
    return decided_;
  }

  struct runner {
    race* in = nullptr;
    std::size_t index = 0;
  };
  std::size_t winner() const { return winner_; }

 private:
  bool decide(std::size_t index) {
    if (decided_) return false;
    decided_ = true;
    winner_ = index;
    return true;
  }
  static void one_ended(void* self) {
    auto* r = static_cast<runner*>(self);
    if (r->in->decide(r->index) && r->in->started_) r->in->waiter_.resume();
  }

  waiter waiter_;
  std::size_t winner_ = 0;
  bool decided_ = false;
  bool started_ = false;
};

template <class... R>
class [[nodiscard("co_await what when_any returns")]] any_of {
 public:
  using value_type = std::variant<storable<R>...>;

  explicit any_of(task<R>... tasks) : tasks_(std::move(tasks)...) {}

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> parent) {
    return suspend(waiter(parent), parent.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    return !race_.start(who, entry, [this](auto visit) {
      std::size_t i = 0;
      std::apply([&](auto&... t) { (visit(t, runners_[i++]), ...); }, tasks_);
    });
  }
  any_result<value_type> await_resume() { return take(std::index_sequence_for<R...>()); }

 private:
  template <std::size_t... I>
  any_result<value_type> take(std::index_sequence<I...>) {
    std::optional<value_type> value;
    ((race_.winner() == I
          ? void(value.emplace(std::in_place_index<I>, take_result<R>(std::get<I>(tasks_).frame().promise())))
          : void()),
     ...);
    return {race_.winner(), std::move(*value)};
  }

  std::tuple<task<R>...> tasks_;
  race::runner runners_[sizeof...(R)];
  race race_;
};

template <class R>
class [[nodiscard("co_await what when_any returns")]] any_of_many {
 public:
  explicit any_of_many(std::vector<task<R>> tasks) : tasks_(std::move(tasks)), runners_(tasks_.size()) {
    if (tasks_.empty())
      throw std::invalid_argument("when_any of nothing would wait for ever: give it one awaitable or more");
  }

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> parent) {
    return suspend(waiter(parent), parent.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    return !race_.start(who, entry, [this](auto visit) {
      for (std::size_t i = 0; i < tasks_.size(); ++i) visit(tasks_[i], runners_[i]);
    });
  }
  any_result<storable<R>> await_resume() {
    const std::size_t first = race_.winner();
    return {first, take_result<R>(tasks_[first].frame().promise())};
  }

 private:
  std::vector<task<R>> tasks_;
  std::vector<race::runner> runners_;
  race race_;
};

}  // namespace detail

/// Awaits the first of several awaitables to end. Returns its index among the arguments and a variant of the
/// results (`nothing` for awaitables without a result). If it threw, its exception is thrown here. The other
/// awaitables are cancelled. They consume no messages or results, except those that a task or when_all among
/// them has already consumed. A call that was sent still runs; an exception in it then ends the run.
template <class... A>
  requires(sizeof...(A) > 0)
auto when_any(A... awaitables) {
  return detail::any_of<detail::await_result<A>...>(detail::as_task(std::move(awaitables))...);
}

/// Awaits one or more awaitables of one type; the value is the result itself.
template <class A>
auto when_any(std::vector<A> awaitables) {
  return detail::any_of_many<detail::await_result<A>>(detail::as_tasks(std::move(awaitables)));
}

}  // namespace imbrex
