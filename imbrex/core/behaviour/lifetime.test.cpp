// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::lifetime_test {

/// Counts objects alive in the process: 0 before and after each run.
class counted {
 public:
  counted() { ++alive; }
  explicit counted(int v) : value(v) { ++alive; }
  counted(const counted& other) : value(other.value) { ++alive; }
  counted(counted&& other) noexcept : value(other.value) { ++alive; }
  counted& operator=(const counted&) = default;
  ~counted() { --alive; }
  void serialize(auto& ar) { ar(value); }

  int value = 0;
  static inline std::atomic<int> alive = 0;
};

class lifetime : public on_machine {
 protected:
  /// Runs a program, which may fail, and expects that none of its objects is left.
  template <class Main>
  void leaves_nothing(const Main& main, int status = 0) {
    for (const options& settings : GetParam().runs) {
      SCOPED_TRACE(text_of(settings));
      ::testing::internal::CaptureStderr();
      EXPECT_EQ(run_once(settings, main), status);
      const auto text = ::testing::internal::GetCapturedStderr();
      EXPECT_EQ(counted::alive.load(), 0) << text;
      counted::alive = 0;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(on, lifetime, ::testing::ValuesIn(machines()), name_of_machine);

class keeper : public chare<keeper> {
 public:
  mailbox<counted> port;

  void take(counted c) { kept_.push_back(std::move(c)); }
  int look(const counted& c) const { return c.value; }
  counted give(counted c) { return c; }
  std::unique_ptr<counted> pass(std::unique_ptr<counted> c) { return c; }
  task<> wait(counted c) {
    ++waits_begun_;
    const counted in_frame(c.value);
    co_await port.receive(77);
  }
  task<counted> wait_deep(counted c) {
    const counted in_frame(c.value);
    co_await wait(std::move(c));
    co_return in_frame;
  }
  task<> wait_long(counted c) {
    co_await when_any(sleep_for(std::chrono::hours(1)), port.receive(5), wait(std::move(c)));
  }
  task<int> add_all(counted c) {
    const int total = co_await all_reduce(c.value, sum);
    co_return total;
  }
  task<counted> never(counted c) {
    co_await port.receive(78);
    co_return c;
  }
  int waits_and_letters() const { return waits_begun_ + static_cast<int>(port.size()); }
  void finish() { destroy(); }
  void fail(counted) { throw std::runtime_error("failed"); }
  void serialize(auto& ar) { ar(kept_, port); }

 private:
  std::vector<counted> kept_;
  int waits_begun_ = 0;
};

TEST_P(lifetime, of_arguments_and_results) {
  leaves_nothing([]() -> task<> {
    auto all = make_array<keeper>({5});
    for (int i = 0; i < 5; ++i) {
      send<&keeper::take>(all[i], counted(i));
      const int looked = co_await all[i].call<&keeper::look>(counted(i));
      EXPECT_EQ(looked, i);
      const counted result = co_await all[i].call<&keeper::give>(counted(i));
      EXPECT_EQ(result.value, i);
      const auto passed = co_await all[i].call<&keeper::pass>(std::make_unique<counted>(i));
      EXPECT_EQ(passed->value, i);
    }
    send<&keeper::take>(all, counted(1));
    send<&keeper::port>(all, 3, counted(1));
    co_await all.reduce<&keeper::give>(gather, counted(2));
    co_await quiescence();
    if (all.size() != 5) co_return;
    auto ignored = all[2].call<&keeper::give>(counted(8));
  });
}

TEST_P(lifetime, of_suspended_entries_at_the_end_of_a_run) {
  leaves_nothing([]() -> task<> {
    auto all = make_array<keeper>({5});
    send<&keeper::wait>(all, counted(1));
    send<&keeper::wait_deep>(all[3], counted(1));
    send<&keeper::wait_long>(all[4], counted(1));
    send<&keeper::port>(all, 3, counted(1));
    co_await sleep_for(std::chrono::milliseconds(1));
  });
}

TEST_P(lifetime, of_messages_still_under_way_at_the_end_of_a_run) {
  leaves_nothing([]() -> task<> {
    auto all = make_array<keeper>({5});
    auto late = make_array<keeper>(sparse(3));
    send<&keeper::take>(late[1], counted(1));
    for (int i = 0; i < 100; ++i) send<&keeper::take>(all, counted(1));
    for (int i = 0; i < 100; ++i) send<&keeper::port>(all[i % 5], i, counted(1));
    co_return;
  });
}

TEST_P(lifetime, of_reductions_still_going_on_at_the_end_of_a_run) {
  leaves_nothing([]() -> task<> {
    auto all = make_array<keeper>({5});
    auto never = all.reduce<&keeper::never>(gather, counted(1));
    auto of_section = all.section({index<1>(1), index<1>(4)}).reduce<&keeper::never>(gather, counted(1));
    auto alone = all[1].call<&keeper::add_all>(counted(1));
    co_await sleep_for(std::chrono::milliseconds(1));
  });
}

TEST_P(lifetime, of_the_entries_of_a_destroyed_chare) {
  leaves_nothing([]() -> task<> {
    auto all = make_array<keeper>({5});
    for (int i = 0; i < 5; ++i) {
      send<&keeper::wait>(all[i], counted(1));
      send<&keeper::wait_long>(all[i], counted(1));
      send<&keeper::port>(all[i], 3, counted(1));
    }
    auto result = all[2].call<&keeper::wait_deep>(counted(4));
    for (int there = 0; there < 16;) {  // a message received after `finish` would be an error
      co_await sleep_for(std::chrono::microseconds(100));
      there = co_await all.reduce<&keeper::waits_and_letters>(sum);
    }
    send<&keeper::finish>(all);
    const std::string text = co_await awaited_error_of<error>(result);
    EXPECT_NE(text.find("destroyed"), std::string::npos) << text;
    co_await quiescence();
    EXPECT_EQ(counted::alive.load(), 0);
  });
}

TEST_P(lifetime, of_everything_when_a_run_fails) {
  leaves_nothing(
      []() -> task<> {
        const counted in_frame(1);
        auto all = make_array<keeper>({5});
        send<&keeper::wait_deep>(all, counted(1));
        for (int i = 0; i < 20; ++i) send<&keeper::take>(all, counted(1));
        send<&keeper::fail>(all, counted(1));
        for (int i = 0; i < 20; ++i) send<&keeper::take>(all, counted(1));
        co_await all.reduce<&keeper::never>(gather, counted(1));
      },
      1);
}

TEST_P(lifetime, of_cancelled_waits) {
  leaves_nothing([]() -> task<> {
    auto all = make_array<keeper>({2});
    for (int i = 0; i < 20; ++i) {
      auto answer = all[1].call<&keeper::give>(counted(i));
      auto never = all[0].call<&keeper::never>(counted(i));
      const auto first =
          co_await when_any(std::move(answer), std::move(never), sleep_for(std::chrono::hours(1)));
      EXPECT_EQ(first.index, 0U);
    }
  });
}

class echo : public chare<echo> {
 public:
  int twice(int x) { return 2 * x; }
  task<int> total(int x) {
    const int t = co_await all_reduce(x, sum);
    co_return t;
  }
};

TEST(runtimes, live_side_by_side) {
  std::vector<std::thread> owners;
  std::atomic<int> good = 0;
  for (int t = 0; t < 4; ++t)
    owners.emplace_back([t, &good] {
      for (int i = 0; i < 5; ++i) {
        const options settings = t % 2 == 0 ? threads(1 + t) : seeded(1 + t, static_cast<std::uint64_t>(i));
        good += imbrex::run(settings, []() -> task<int> {
          auto all = make_array<echo>({10});
          const int t1 = co_await all.reduce<&echo::twice>(sum, 3);
          const int t2 = co_await all.reduce<&echo::total>(sum, 2);
          co_return t1 == 60 && t2 == 200 ? 1 : 0;
        });
      }
    });
  for (auto& o : owners) o.join();
  EXPECT_EQ(good, 20);
}

/// Queries its own location until it ends.
class curious : public chare<curious> {
 public:
  ~curious() { was_nowhere = was_nowhere || pe() < 0 || pe() >= num_pes_then; }
  void go(int to) { migrate_to(to); }
  void keep_busy() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }
  void serialize(auto&) {}

  static inline std::atomic<bool> was_nowhere = false;
  static inline std::atomic<int> num_pes_then = 1;
};

TEST_P(lifetime, ends_with_chares_under_way_that_ask_where_they_are) {
  leaves_nothing([]() -> task<> {
    curious::num_pes_then = num_pes();
    const auto some = make_array<curious>(2 * num_pes());
    co_await some.created();
    send<&curious::keep_busy>(some[2 * num_pes() - 1]);
    co_await some[0].call<&curious::go>(num_pes() - 1);
  });
  EXPECT_FALSE(curious::was_nowhere.load());
}

enum class use { none, copy, order };

/// A key whose next use of a given kind on this thread throws.
struct fragile_key {
  int number = 0;

  fragile_key() = default;
  explicit fragile_key(int n) : number(n) {}
  fragile_key(const fragile_key& other) : number(other.number) { throw_if(use::copy); }
  fragile_key(fragile_key&&) = default;
  fragile_key& operator=(const fragile_key& other) {
    throw_if(use::copy);
    number = other.number;
    return *this;
  }
  fragile_key& operator=(fragile_key&&) = default;
  ~fragile_key() = default;
  bool operator==(const fragile_key& other) const { return number == other.number; }
  bool operator<(const fragile_key& other) const {
    throw_if(use::order);
    return number < other.number;
  }
  void serialize(auto& ar) { ar(number); }

  static void throw_if(use what) {
    if (throws == what) {
      throws = use::none;
      throw std::bad_alloc();
    }
  }
  static inline thread_local use throws = use::none;
};

class fragile : public chare<fragile, fragile_key> {
 public:
  explicit fragile(use what) { fragile_key::throws = what; }

 private:
  counted member_;
};

TEST_P(lifetime, of_elements_that_cannot_be_kept) {
  for (const use what : {use::copy, use::order})
    leaves_nothing(
        [what]() -> task<> {
          const auto all =
              make_array<fragile>(keyed<fragile_key>().placed([](const fragile_key&, int) { return 0; }));
          all.insert(fragile_key(1), use::none);
          co_await quiescence();
          all.insert(fragile_key(2), what);
          co_await sleep_for(std::chrono::hours(1));
        },
        1);
}

/// Counts destroyed chares, and those destroyed on another thread than that of their entries.
class homing : public chare<homing> {
 public:
  static inline std::atomic<int> destroyed = 0;
  static inline std::atomic<int> strays = 0;

  mailbox<int> never;

  homing() : thread_(std::this_thread::get_id()) {}
  ~homing() {
    ++destroyed;
    strays += std::this_thread::get_id() == thread_ ? 0 : 1;
  }
  void look() { strays += std::this_thread::get_id() == thread_ ? 0 : 1; }
  task<> wait() {
    homing_local inside{*this};
    co_await never.receive();
  }
  void fail() { throw std::runtime_error("it is over"); }

 private:
  /// A local variable of a suspended entry.
  struct homing_local {
    const homing& of;
    ~homing_local() { strays += std::this_thread::get_id() == of.thread_ ? 0 : 1; }
  };
  const std::thread::id thread_;
};

enum class ending { normal, exit, failure };

TEST_P(lifetime, of_chares_ends_on_the_thread_of_their_pe) {
  for (const options& settings : GetParam().runs)
    for (const ending end : {ending::normal, ending::exit, ending::failure}) {
      homing::destroyed = 0;
      homing::strays = 0;
      ::testing::internal::CaptureStderr();
      run_once(settings, [end]() -> task<> {
        auto all = make_array<homing>(11);
        send<&homing::look>(all);
        send<&homing::wait>(all[4]);
        send<&homing::wait>(all[10]);
        co_await quiescence();
        if (end == ending::exit) imbrex::exit(3);
        if (end == ending::failure) co_await all[7].call<&homing::fail>();
      });
      ::testing::internal::GetCapturedStderr();
      EXPECT_EQ(homing::destroyed, 11);
      EXPECT_EQ(homing::strays, 0);
    }
}

}  // namespace imbrex::lifetime_test
