// SPDX-License-Identifier: Apache-2.0
// Messages find elements that a balancer has moved, however often and whatever their keys are.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::balance_places_test {

using testing::machine;

class balanced_places : public ::testing::TestWithParam<machine> {
 protected:
  void run(const options& balance, const std::function<task<>()>& main) const {
    for (options settings : GetParam().runs) {
      settings.balance = balance.balance;
      SCOPED_TRACE(testing::text_of(settings));
      EXPECT_EQ(testing::run_in_processes(GetParam().processes, settings, main), 0);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(on, balanced_places,
                         ::testing::ValuesIn(testing::machines({"threads_5", "shuffled", "deterministic_20",
                                                                "simulated", "processes_2x2"})),
                         [](const auto& info) { return info.param.name; });

/// Counts the pings of each pinger in each round.
class pingee : public chare<pingee> {
 public:
  void ping(int from, int round) { ++count_[{from, round}]; }
  int wrong(int pingers, int rounds) const {
    int wrong = count_.size() == static_cast<std::size_t>(pingers * rounds) ? 0 : 1;
    for (const auto& [ping, times] : count_) wrong += times == 1 ? 0 : 1;
    return wrong;
  }
  void serialize(auto& ar) { ar(count_); }

 private:
  std::map<std::pair<int, int>, int> count_;
};

class pinger : public chare<pinger> {
 public:
  pinger() = default;
  explicit pinger(array<pingee> to) : to_(to) {}
  /// Goes on by a message to itself, so that it may leave between two rounds.
  void run(int round, int rounds) {
    if (round == rounds) return;
    for (int i = 0; i < to_.shape()[0]; ++i) send<&pingee::ping>(to_[i], where()[0], round);
    send<&pinger::run>(self(), round + 1, rounds);
  }
  void serialize(auto& ar) { ar(to_); }

 private:
  array<pingee> to_;
};

TEST_P(balanced_places, get_each_entry_once_while_periods_end_by_the_clock) {
  options settings;
  settings.balance.strategy = "random";
  settings.balance.every_time = std::chrono::microseconds(50);
  run(settings, []() -> task<> {
    static constexpr int pingers = 9, rounds = 12;
    const auto pingees = make_array<pingee>(7);
    const auto all = make_array<pinger>(pingers, pingees);
    send<&pinger::run>(all, 0, rounds);
    co_await quiescence();
    const int wrong = co_await pingees.reduce<&pingee::wrong>(sum, pingers, rounds);
    EXPECT_EQ(wrong, 0);
  });
}

/// A key of a program's own.
struct octant {
  std::int32_t level = 0;
  std::int32_t place = 0;

  bool operator==(const octant&) const = default;
};

class leaf : public chare<leaf, octant> {
 public:
  void hit(int round) { hits_ += round; }
  task<int> run(int leaves, int rounds) {
    while (round_ < rounds) {
      ++round_;
      const octant here = where();
      for (int k = 1; k <= 2; ++k)
        send<&leaf::hit>(peers()[octant{here.level, (here.place + k) % leaves}], round_);
      co_await all_reduce(round_, max);
      co_await balance_point<&leaf::run>(leaves, rounds);
    }
    co_return round_;
  }
  int hits() const { return hits_; }
  void serialize(auto& ar) { ar(round_, hits_); }

 private:
  int round_ = 0;
  int hits_ = 0;
};

TEST_P(balanced_places, are_found_by_keys_of_the_program_over_many_steps) {
  for (const char* const strategy : {"rotate", "greedy"}) {
    options settings;
    settings.balance.strategy = strategy;
    settings.balance.every_points = 1;
    run(settings, []() -> task<> {
      static constexpr int leaves = 8, rounds = 60;
      const auto all = make_array<leaf>();
      for (int i = 0; i < leaves; ++i) all.insert(octant{3, i});
      co_await quiescence();
      const int least = co_await all.reduce<&leaf::run>(min, leaves, rounds);
      EXPECT_EQ(least, rounds);
      co_await quiescence();
      const int hits = co_await all.reduce<&leaf::hits>(sum);
      EXPECT_EQ(hits, leaves * rounds * (rounds + 1));
    });
  }
}

class resident : public chare<resident> {
 public:
  int on() const { return pe(); }
  void serialize(auto&) {}
};

/// Calls an element from each PE.
class visitor : public chare<visitor> {
 public:
  task<double> visit(array<resident> all) {
    const double began = seconds();
    const int found = co_await all[0].call<&resident::on>();
    EXPECT_LT(found, num_pes());
    co_return seconds() - began;
  }
};

TEST(balanced_places, are_found_by_no_more_hops_than_there_are_pes) {
  options settings{.pes = 7, .machine = machine_kind::simulated};
  settings.net_latency = std::chrono::milliseconds(1);
  settings.balance.strategy = "rotate";
  settings.balance.every_points = 1'000'000;
  const int status = run(settings, []() -> task<> {
    const auto all = make_array<resident>(7);
    const auto visitors = make_group<visitor>();
    // Each visitor knows the place that the element had at another moment.
    for (int p = 0; p < num_pes(); ++p) {
      co_await visitors[p].call<&visitor::visit>(all);
      co_await rebalance(all);
      co_await quiescence();
    }
    for (int turn = 0; turn < 20; ++turn) {
      co_await rebalance(all);
      co_await quiescence();
    }
    for (int p = 0; p < num_pes(); ++p) {
      const double first = co_await visitors[p].call<&visitor::visit>(all);
      EXPECT_LT(first, 8.5e-3) << "from PE " << p;
      const double second = co_await visitors[p].call<&visitor::visit>(all);
      EXPECT_LT(second, 2.5e-3) << "from PE " << p;
    }
  });
  EXPECT_EQ(status, 0);
}

}  // namespace imbrex::balance_places_test
