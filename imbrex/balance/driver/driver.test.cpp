// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/balance/edges.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::balance_driver_test {

using testing::machine;

options balanced(options settings, const std::string& strategy, std::uint64_t every = 0) {
  settings.balance.strategy = strategy;
  settings.balance.every_points = every;
  return settings;
}

options simulated(int pes) {
  options settings;
  settings.machine = machine_kind::simulated;
  settings.pes = pes;
  return settings;
}

/// A cell of known cost that meets all others in each step.
class cell : public chare<cell> {
 public:
  cell() = default;
  explicit cell(int heavy) : heavy_(heavy) {}

  task<double> run(int steps) {
    while (step_ < steps) {
      ++step_;
      spend(std::chrono::microseconds(where()[0] < heavy_ ? 1000 : 100));
      co_await all_reduce(step_, max);
      co_await balance_point<&cell::run>(steps);
    }
    co_return static_cast<double>(step_);
  }
  int on() const { return pe(); }
  void serialize(auto& ar) { ar(heavy_, step_); }

 private:
  int heavy_ = 0;
  int step_ = 0;
};

/// The time that 64 cells take for 40 steps on 8 PEs, in milliseconds; the cells of one PE are ten times as
/// heavy.
double time_of_cells(const options& settings) {
  double took = 0;
  const int status = run(settings, [&]() -> task<> {
    const auto cells = make_array<cell>({64}, 8);
    const double begin = seconds();
    const double steps = co_await cells.reduce<&cell::run>(sum, 40);
    EXPECT_EQ(steps, 64 * 40);
    took = (seconds() - begin) * 1e3;
  });
  EXPECT_EQ(status, 0);
  return took;
}

TEST(balance, evens_out_the_loads_of_elements) {
  const double none = time_of_cells(simulated(8));
  const double best = (8 * 1.0 + 56 * 0.1) / 8 * 40;
  EXPECT_GE(none, 8 * 40);
  for (const char* const strategy : {"auto", "segments", "refine", "greedy"}) {
    EXPECT_LT(time_of_cells(balanced(simulated(8), strategy)), 2 * best) << strategy;
    EXPECT_LT(time_of_cells(balanced(simulated(8), strategy, 2)), 2 * best) << strategy;
  }
  options by_time = balanced(simulated(8), "auto");
  by_time.balance.every_time = std::chrono::milliseconds(10);
  EXPECT_LT(time_of_cells(by_time), 2 * best);
}

TEST(balance, moves_elements_together) {
  const double best = (8 * 1.0 + 56 * 0.1) / 8 * 40;
  for (const std::uint64_t every : {0, 2}) {
    options together = balanced(simulated(8), "auto", every);
    together.balance.together = true;
    EXPECT_LT(time_of_cells(together), 2 * best) << every;
  }
}

TEST(balance, costs_nothing_where_loads_are_equal) {
  const auto time_of_equal = [](const options& settings) {
    double took = 0;
    run(settings, [&]() -> task<> {
      const auto cells = make_array<cell>({64}, 0);
      const double begin = seconds();
      co_await cells.reduce<&cell::run>(sum, 40);
      took = seconds() - begin;
    });
    return took;
  };
  EXPECT_LT(time_of_equal(balanced(simulated(8), "auto")), 1.01 * time_of_equal(simulated(8)));
}

/// An element that sends `bytes` bytes to the next one in each step.
class neighbour : public chare<neighbour> {
 public:
  mailbox<std::vector<char>> halo;

  task<> run(int steps, int bytes) {
    while (step_ < steps) {
      const int elements = 12, me = where()[0];
      send<&neighbour::halo>(peers()[(me + 1) % elements], step_, std::vector<char>(bytes));
      co_await halo.receive(step_);
      ++step_;
      co_await all_reduce(step_, max);
      co_await balance_point<&neighbour::run>(steps, bytes);
    }
  }
  void serialize(auto& ar) { ar(halo, step_); }

 private:
  int step_ = 0;
};

TEST(balance, samples_messages_between_elements) {
  constexpr int steps = 400, bytes = 1000;
  std::size_t problems = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
  const balance::strategy reading{"reading edges",
                                  [&](const balance::problem& p) {
                                    if (p.size() < 12)
                                      return std::vector<int>(p.pe.begin(), p.pe.end());  // some travel
                                    ++problems;
                                    const std::vector<balance::edge> edges = edges_of(p);
                                    for (std::size_t i = 0; i < edges.size(); ++i)
                                      sums[{edges[i].from, edges[i].to}] +=
                                          static_cast<double>(p.edge_bytes[i]);
                                    std::vector<int> pes(p.pe.begin(), p.pe.end());
                                    std::ranges::rotate(pes, pes.begin() + 1);
                                    return pes;
                                  },
                                  {.edges = true}};
  for (const machine& on : testing::machines({"threads_4", "serialized", "deterministic_3", "simulated"})) {
    for (options settings : on.runs) {
      SCOPED_TRACE(testing::text_of(settings));
      problems = 0;
      sums.clear();
      settings.balance.strategy = "reading edges";
      settings.balance.every_points = 10;
      const int status = run(settings, [&]() -> task<> {
        const auto ring = make_array<neighbour>({12});
        co_await ring.call<&neighbour::run>(steps, bytes);
      });
      EXPECT_EQ(status, 0);
      ASSERT_GT(problems, 10U);
      double sum = 0;
      for (const auto& [ends, of_edge] : sums) {
        EXPECT_EQ((ends.first + 1) % 12, ends.second);
        sum += of_edge / static_cast<double>(problems);
      }
      EXPECT_EQ(sums.size(), 12U);
      const double expected = 12 * 10 * bytes;  // ten steps
      EXPECT_GT(sum, 0.5 * expected);
      EXPECT_LT(sum, 2 * expected);
    }
  }
}

TEST(balance, tells_strategies_what_elements_send) {
  constexpr int steps = 400, bytes = 1000;
  static std::vector<balance::sent_amount> sent;
  const balance::strategy reader{"reading messages",
                                 [](const balance::problem& p) {
                                   std::vector<int> pes(p.pe.begin(), p.pe.end());
                                   if (p.size() < 12) return pes;  // some travel
                                   sent.assign(p.sent.begin(), p.sent.end());
                                   std::ranges::rotate(pes, pes.begin() + 1);
                                   return pes;
                                 },
                                 {.sent = true}};
  for (const machine& on : testing::machines({"threads_4", "serialized", "deterministic_3", "simulated"})) {
    for (options settings : on.runs) {
      SCOPED_TRACE(testing::text_of(settings));
      sent.clear();
      settings.balance.strategy = "reading messages";
      settings.balance.every_points = 10;
      const int status = run(settings, [&]() -> task<> {
        const auto ring = make_array<neighbour>({12});
        co_await ring.call<&neighbour::run>(steps, bytes);
      });
      EXPECT_EQ(status, 0);
      ASSERT_EQ(sent.size(), 12U);
      // One message a step, between any two balance points.
      for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_FLOAT_EQ(sent[i].messages, 1);
        EXPECT_GE(sent[i].bytes, bytes);
        EXPECT_LE(sent[i].bytes, bytes + 40);
      }
    }
  }
}

TEST(balance, costs_nothing_without_a_strategy) {
  EXPECT_EQ(time_of_cells(balanced(simulated(8), "none", 1)), time_of_cells(simulated(8)));
}

TEST(balance, lets_no_element_wait_for_the_end_of_a_period) {
  options by_time = balanced(simulated(8), "auto");
  by_time.balance.every_time = std::chrono::hours(1);
  EXPECT_LT(time_of_cells(by_time), 1.01 * time_of_cells(simulated(8)));
}

/// An element that moves while it uses messages of all kinds, and counts them.
class nomad : public chare<nomad> {
 public:
  mailbox<int> letters;

  nomad() = default;
  explicit nomad(int n) : n_(n) {}

  void hit(int by) { hits_ += by; }
  int hits() const { return hits_; }
  int ask(int x) { return x + 1; }
  void shout(int x) { shouts_ += x; }
  int shouts() const { return shouts_; }
  task<int> run(int steps) {
    while (step_ < steps) {
      ++step_;
      const int me = where()[0];
      for (int k = 1; k <= 3; ++k) send<&nomad::hit>(peers()[(me + k) % n_], k);
      send<&nomad::letters>(peers()[(me + 1) % n_], step_, me);
      const int from = co_await letters.receive(step_);
      if (from != (me + n_ - 1) % n_) co_return -1;
      const int answer = co_await peers()[(me + 7) % n_].template call<&nomad::ask>(step_);
      if (answer != step_ + 1) co_return -2;
      if (me == 0) send<&nomad::shout>(peers(), step_);
      const int all = co_await all_reduce(me, sum);
      if (all != n_ * (n_ - 1) / 2) co_return -3;
      co_await balance_point<&nomad::run>(steps);
    }
    co_return step_;
  }
  void serialize(auto& ar) { ar(letters, n_, step_, hits_, shouts_); }

 private:
  int n_ = 0;
  int step_ = 0;
  int hits_ = 0;
  int shouts_ = 0;
};

class balance_on : public ::testing::TestWithParam<machine> {};
INSTANTIATE_TEST_SUITE_P(on, balance_on,
                         ::testing::ValuesIn(testing::machines({"threads_1", "threads_4", "serialized",
                                                                "delayed", "shuffled", "deterministic_40",
                                                                "simulated", "processes_2x2"})),
                         [](const auto& info) { return info.param.name; });

TEST_P(balance_on, brings_each_message_once_while_elements_move) {
  for (const char* const strategy : {"random", "rotate", "auto"})
    for (const options& settings : GetParam().runs) {
      SCOPED_TRACE(std::string(strategy) + " " + testing::text_of(settings));
      static constexpr int elements = 12, steps = 12;
      const int status =
          testing::run_in_processes(GetParam().processes, balanced(settings, strategy, 1), []() -> task<> {
            const auto all = make_array<nomad>({elements}, elements);
            EXPECT_EQ(co_await all.reduce<&nomad::run>(min, steps), steps);
            co_await quiescence();
            EXPECT_EQ(co_await all.reduce<&nomad::hits>(min), 6 * steps);
            EXPECT_EQ(co_await all.reduce<&nomad::hits>(max), 6 * steps);
            EXPECT_EQ(co_await all.reduce<&nomad::shouts>(min), steps * (steps + 1) / 2);
          });
      EXPECT_EQ(status, 0);
    }
}

/// An element with a second entry that waits all the time.
class watcher : public chare<watcher> {
 public:
  mailbox<int> never;

  task<> watch() { co_await never.receive(0); }
  task<int> run(int steps) {
    while (step_ < steps) {
      ++step_;
      spend(std::chrono::microseconds(where()[0] < 3 ? 1000 : 100));
      co_await all_reduce(step_, max);
      co_await balance_point<&watcher::run>(steps);
    }
    co_return pe();
  }
  void serialize(auto& ar) { ar(never, step_); }

 private:
  int step_ = 0;
};

TEST(balance, passes_over_elements_that_cannot_move) {
  const int status = run(balanced(testing::threads(3), "rotate", 1), []() -> task<> {
    const auto all = make_array<watcher>({9});
    send<&watcher::watch>(all);
    const auto before = co_await all.reduce<&watcher::run>(gather, 3);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i], static_cast<int>(i / 3));
  });
  EXPECT_EQ(status, 0);
}

TEST(balance, takes_no_step_where_no_element_can_move) {
  for (const std::uint64_t every : {0, 1}) {
    options settings = balanced(simulated(3), "auto", every);
    settings.balance.report = true;
    ::testing::internal::CaptureStderr();
    const int status = run(settings, []() -> task<> {
      const auto all = make_array<watcher>({9});
      for (int i = 0; i < 2; ++i) send<&watcher::watch>(all);  // two wait even after `run` has ended
      co_await all.reduce<&watcher::run>(gather, 30);
    });
    const std::string report = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, 0);
    EXPECT_EQ(report.find("step 1"), std::string::npos) << report;
    EXPECT_NE(report.find("balance: 0 steps"), std::string::npos) << report;
    EXPECT_NE(report.find("up to 9 elements could not move"), std::string::npos) << report;
  }
}

/// An element that says its load, and never balances by itself.
class teller : public chare<teller> {
 public:
  static inline double load_of_first = 9;

  teller() = default;
  double expected_load() const { return where()[0] == 0 ? load_of_first : 1; }
  void departs() { ++departures_; }
  void arrived() { arrivals_ = departures_; }
  int on() const { return pe(); }
  bool hooks_agree() const { return departures_ == arrivals_; }
  void serialize(auto& ar) { ar(departures_, arrivals_); }

 private:
  int departures_ = 0;
  int arrivals_ = 0;
};

TEST(balance, happens_once_where_a_program_asks) {
  for (const options& machine : {testing::threads(2), simulated(2), testing::seeded(2, 3)}) {
    const int status = run(balanced(machine, "greedy", 1'000'000), []() -> task<> {
      const auto all = make_array<teller>({10});
      co_await all.created();
      const rebalance_result result = co_await rebalance(all);
      EXPECT_EQ(result.strategy, "greedy");
      EXPECT_EQ(result.elements, 10);
      EXPECT_NEAR(result.before, 13 / 9.0, 1e-6);
      EXPECT_NEAR(result.after, 1, 1e-6);
      EXPECT_GT(result.moved, 0);
      co_await quiescence();
      const auto on = co_await all.reduce<&teller::on>(gather);
      double first = 0;
      for (std::size_t i = 0; i < on.size(); ++i) first += on[i] == on[0] ? (i == 0 ? 9 : 1) : 0;
      EXPECT_EQ(first, 9);
      EXPECT_TRUE(co_await all.reduce<&teller::hooks_agree>(imbrex::all));
    });
    EXPECT_EQ(status, 0);
  }
}

TEST(balance, moves_nothing_without_the_option) {
  const int status = run(testing::threads(2), []() -> task<> {
    const auto all = make_array<teller>({10});
    const rebalance_result result = co_await rebalance(all);
    EXPECT_EQ(result.strategy, "none");
    EXPECT_EQ(result.moved, 0);
  });
  EXPECT_EQ(status, 0);
}

TEST(balance, takes_a_load_that_is_no_load_as_0) {
  for (const double load : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    teller::load_of_first = load;
    ::testing::internal::CaptureStderr();
    const int status = run(balanced(testing::threads(2), "greedy", 1'000'000), []() -> task<> {
      const auto all = make_array<teller>({10});
      co_await all.created();
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR((co_await rebalance(all)).before, 5 / 4.5, 1e-6);
        co_await quiescence();
      }
    });
    teller::load_of_first = 9;
    EXPECT_EQ(status, 0);
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("expected_load of teller(0)"), std::string::npos) << text;
    EXPECT_EQ(text.find("warning", text.find("warning") + 1), std::string::npos) << text;
  }
}

/// An element of which only the first knows its load.
class guesser : public chare<guesser> {
 public:
  std::optional<double> expected_load() const {
    return where()[0] == 0 ? std::optional<double>(1000) : std::nullopt;
  }
  void serialize(auto&) {}
};

TEST(balance, measures_elements_that_expect_no_load) {
  std::vector<double> loads;
  const balance::strategy looks("looks", [&](const balance::problem& p) {
    loads.assign(p.load.begin(), p.load.end());
    return std::vector<int>(p.pe.begin(), p.pe.end());
  });
  const int status = run(balanced(simulated(2), "looks", 1'000'000), []() -> task<> {
    const auto all = make_array<guesser>({4});
    co_await all.created();
    co_await rebalance(all);
  });
  EXPECT_EQ(status, 0);
  ASSERT_EQ(loads.size(), 4U);
  EXPECT_EQ(loads[0], 1000);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(loads[i], 1);
}

TEST(balance, goes_on_without_a_strategy_that_fails) {
  const balance::strategy throwing("throwing", [](const balance::problem&) -> std::vector<int> {
    throw std::runtime_error("out of ideas");
  });
  const balance::strategy short_one("short", [](const balance::problem&) { return std::vector<int>(1); });
  const balance::strategy wrong("wrong",
                                [](const balance::problem& p) { return std::vector<int>(p.size(), 99); });
  for (const char* const name : {"throwing", "short", "wrong"}) {
    ::testing::internal::CaptureStderr();
    EXPECT_GE(time_of_cells(balanced(simulated(8), name, 1)), 8 * 40);
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("goes on without balancing"), std::string::npos) << text;
    EXPECT_EQ(text.find("warning", text.find("warning") + 1), std::string::npos) << text;
  }
}

TEST(balance, refuses_an_unknown_strategy) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(balanced(testing::threads(2), "segment"), []() -> task<> { co_return; }), 2);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("segment"), std::string::npos);
  EXPECT_NE(text.find("segments"), std::string::npos) << text;
}

TEST(balance, reports_its_steps) {
  options settings = balanced(simulated(8), "segments", 2);
  settings.balance.report = true;
  ::testing::internal::CaptureStderr();
  time_of_cells(settings);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("balance: step 1, "), std::string::npos) << text;
  EXPECT_NE(text.find(": segments, max/avg "), std::string::npos) << text;
  EXPECT_NE(text.find(" steps in "), std::string::npos) << text;
}

/// A chare of a group, which stays.
class bystander : public chare<bystander> {};

TEST(balance, counts_elements_of_groups_apart) {
  options settings = balanced(simulated(4), "segments", 2);
  settings.balance.report = true;
  ::testing::internal::CaptureStderr();
  const int status = run(settings, []() -> task<> {
    static_cast<void>(make_group<bystander>());
    const auto cells = make_array<cell>({16}, 4);
    co_await cells.reduce<&cell::run>(sum, 20);
  });
  EXPECT_EQ(status, 0);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find(" moves, 4 of groups and classes that cannot migrate\n"), std::string::npos) << text;
}

}  // namespace imbrex::balance_driver_test
