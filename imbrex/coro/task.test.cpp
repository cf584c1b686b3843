// SPDX-License-Identifier: Apache-2.0
#include <imbrex/coro/task.hpp>

#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/coro/when_all.hpp>
#include <imbrex/coro/when_any.hpp>
#include <imbrex/testing/awaited_error_of.hpp>

namespace imbrex {
namespace {

/// Runs a task as the only entry of a program that has no machine.
template <class R>
class entry {
 public:
  explicit entry(task<R> t) : task_(std::move(t)) {
    ended_ = task_.frame().promise().start(
        task_.frame(), scope_, waiter([](void* self) { static_cast<entry*>(self)->ended_ = true; }, this));
  }
  bool ended() const { return ended_; }
  R result() { return task_.frame().promise().take(); }
  const scope& of() const { return scope_; }

 private:
  scope scope_;
  task<R> task_;
  bool ended_ = false;
};

/// Awaitable that the test opens.
class gate {
 public:
  class waiter final : public suspension {
   public:
    explicit waiter(gate& g) : gate_(g) {}
    waiter(waiter&& other) noexcept : gate_(other.gate_) {}
    ~waiter() {
      if (handle_ && gate_.waiting_ == this) gate_.waiting_ = nullptr;
    }
    bool await_ready() const { return gate_.value_.has_value(); }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> h) {
      handle_ = h;
      gate_.waiting_ = this;
      begin(h.promise().entry());
    }
    int await_resume() {
      end();
      return *gate_.value_;
    }
    std::string description() const override { return "a gate"; }
    void resume() { handle_.resume(); }

   private:
    gate& gate_;
    std::coroutine_handle<> handle_;
  };
  waiter wait() { return waiter(*this); }
  void open(int value) {
    value_ = value;
    if (auto* w = std::exchange(waiting_, nullptr)) w->resume();
  }
  bool has_waiter() const { return waiting_ != nullptr; }

 private:
  std::optional<int> value_;
  waiter* waiting_ = nullptr;
};

task<int> plus_one(gate& g) {
  const int value = co_await g.wait();
  co_return value + 1;
}
task<int> plus_two(gate& g) {
  const int value = co_await plus_one(g);
  co_return value + 1;
}
task<int> at_once(int value) { co_return value; }
task<> throws_at_once() {
  throw std::runtime_error("at once");
  co_return;
}

TEST(task, passes_results_and_says_what_it_waits_for) {
  gate g;
  entry<int> e(plus_two(g));
  EXPECT_FALSE(e.ended());
  ASSERT_NE(e.of().waits, nullptr);
  EXPECT_EQ(e.of().waits->description(), "a gate");
  EXPECT_EQ(e.of().waits->next(), nullptr);
  g.open(5);
  EXPECT_TRUE(e.ended());
  EXPECT_EQ(e.of().waits, nullptr);
  EXPECT_EQ(e.result(), 7);
}

TEST(task, exceptions_reach_the_awaiter) {
  const auto catches = []() -> task<std::string> {
    const std::string text = co_await testing::awaited_error_of<std::runtime_error>(throws_at_once());
    co_return text;
  };
  entry<std::string> e(catches());
  EXPECT_EQ(e.result(), "at once");
  entry<void> thrower(throws_at_once());
  EXPECT_THROW(thrower.result(), std::runtime_error);
}

TEST(task, a_loop_over_tasks_that_end_at_once_needs_no_stack) {
  const auto loop = []() -> task<long> {
    long total = 0;
    for (int i = 0; i < 200'000; ++i) {
      const int one = co_await at_once(1);
      total += one;
    }
    co_return total;
  };
  entry<long> e(loop());
  EXPECT_EQ(e.result(), 200'000);
}

TEST(task, a_destroyed_task_destroys_its_frames_and_stops_waiting) {
  gate g;
  const auto alive = std::make_shared<int>(1);
  {
    const auto keeps = [](gate& at, std::shared_ptr<int> held) -> task<> {
      const auto copy = held;
      co_await plus_two(at);
    };
    entry<void> e(keeps(g, alive));
    EXPECT_EQ(alive.use_count(), 3);
    EXPECT_TRUE(g.has_waiter());
  }
  EXPECT_EQ(alive.use_count(), 1);
  EXPECT_FALSE(g.has_waiter());
}

TEST(task, results_may_be_move_only) {
  const auto makes = []() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(3); };
  entry<std::unique_ptr<int>> e(makes());
  EXPECT_EQ(*e.result(), 3);
}

TEST(when_all, ends_with_the_last) {
  gate a;
  gate b;
  const auto both = [&]() -> task<int> {
    const auto [x, y, z] = co_await when_all(plus_one(a), b.wait(), at_once(100));
    co_return x + y + z;
  };
  entry<int> e(both());
  EXPECT_FALSE(e.ended());
  b.open(10);
  EXPECT_FALSE(e.ended());
  a.open(1);
  EXPECT_TRUE(e.ended());
  EXPECT_EQ(e.result(), 112);
}

TEST(when_all, of_many_keeps_their_order) {
  std::vector<gate> gates(20);
  const auto all = [&]() -> task<std::vector<int>> {
    std::vector<task<int>> tasks;
    for (auto& g : gates) tasks.push_back(plus_one(g));
    auto results = co_await when_all(std::move(tasks));
    co_return results;
  };
  entry<std::vector<int>> e(all());
  for (int i = 19; i >= 0; --i) gates[static_cast<std::size_t>(i)].open(i);
  EXPECT_TRUE(e.ended());
  const auto results = e.result();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)], i + 1);
}

TEST(when_any, ends_with_the_first_and_cancels_the_others) {
  gate a;
  gate b;
  const auto any = [&]() -> task<int> {
    const auto first = co_await when_any(plus_two(a), b.wait());
    co_return static_cast<int>(first.index) * 100 + std::get<1>(first.value);
  };
  entry<int> e(any());
  EXPECT_TRUE(a.has_waiter());
  b.open(7);
  EXPECT_TRUE(e.ended());
  EXPECT_EQ(e.result(), 107);
  EXPECT_FALSE(a.has_waiter());
}

TEST(when_any, does_not_begin_what_comes_after_one_that_ended_at_once) {
  gate a;
  const auto any = [&]() -> task<int> {
    const auto first = co_await when_any(at_once(4), plus_one(a));
    co_return std::get<0>(first.value);
  };
  entry<int> e(any());
  EXPECT_TRUE(e.ended());
  EXPECT_EQ(e.result(), 4);
  EXPECT_FALSE(a.has_waiter());
}

}  // namespace
}  // namespace imbrex
