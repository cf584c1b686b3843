// SPDX-License-Identifier: Apache-2.0
// Runs of so many PEs that they are balanced in two levels.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/balance/two_levels.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::balance_groups_test {

constexpr int edge = 12, pes = 264;

/// A strategy of the library that balances few objects in two levels, too.
struct in_groups {
  explicit in_groups(const char* library)
      : by(std::string(library) + "-in-groups",
           [library](const balance::problem& p) { return balance::find_strategy(library).solve_at_once(p); },
           {.coordinates = true, .most_at_once = 500}) {}

  const balance::strategy by;
};

options many_pes(machine_kind machine, const std::string& strategy) {
  options settings;
  settings.machine = machine;
  settings.pes = pes;
  settings.balance.strategy = strategy;
  return settings;
}

/// A cell that has more work near a corner of the cube.
class cube_cell : public chare<cube_cell, index<3>> {
 public:
  mailbox<int> halo;

  double expected_load() const { return 1e-4 * weight(); }
  task<int> run(int steps) {
    while (step_ < steps) {
      for (int d = 0; d < 3; ++d) {
        auto to = where();
        to[d] = (to[d] + 1) % edge;
        send<&cube_cell::halo>(peers()[to], step_, step_);
      }
      for (int d = 0; d < 3; ++d) {
        const int got = co_await halo.receive(step_);
        right_ += got == step_ ? 1 : 0;
      }
      spend(std::chrono::microseconds(100 * weight()));
      ++step_;
      co_await balance_point<&cube_cell::run>(steps);
    }
    co_return right_;
  }
  std::vector<int> on() { return {(where()[0] * edge + where()[1]) * edge + where()[2], pe()}; }
  void turn() { turn_ = (turn_ + 1) % 3; }
  void serialize(auto& ar) { ar(halo, step_, right_, turn_); }

 private:
  int weight() const { return where()[turn_] < 4 && where()[(turn_ + 1) % 3] < 4 ? 9 : 1; }

  int step_ = 0;
  int right_ = 0;
  int turn_ = 0;
};

/// The PE of each cell.
task<std::vector<int>> places_of(const array<cube_cell>& cells) {
  const auto found = co_await cells.reduce<&cube_cell::on>(gather);
  std::vector<int> on(edge * edge * edge);
  for (const std::vector<int>& each : found) on[static_cast<std::size_t>(each[0])] = each[1];
  co_return on;
}

/// The PEs of cells after each of three steps, between which other cells have become heavy.
std::vector<std::vector<int>> places_after_steps(const options& settings) {
  std::vector<std::vector<int>> places;
  const int status = run(settings, [&]() -> task<> {
    const auto cells = make_array<cube_cell>({edge, edge, edge});
    co_await cells.created();
    for (int i = 0; i < 3; ++i) {
      const rebalance_result result = co_await rebalance(cells);
      co_await quiescence();
      EXPECT_EQ(result.elements, edge * edge * edge);
      EXPECT_EQ(result.unmovable, 0);
      EXPECT_LE(result.after, 1.7);
      EXPECT_GE(result.moved, 100);
      auto now = co_await places_of(cells);
      places.push_back(std::move(now));
      co_await cells.call<&cube_cell::turn>();
    }
  });
  EXPECT_EQ(status, 0);
  return places;
}

TEST(balance_groups, find_the_solution_of_one_pe) {
  for (const char* const library : {"auto", "segments", "curve"}) {
    SCOPED_TRACE(library);
    const in_groups strategy(library);
    options distributed = many_pes(machine_kind::simulated, strategy.by.name());
    distributed.balance.every_time = std::chrono::hours(1);
    options recorded = distributed;  // all loads go to PE 0
    const test::temporary_file file("");
    recorded.balance.record = file.name();
    EXPECT_EQ(places_after_steps(distributed), places_after_steps(recorded));
  }
}

/// Runs all cells; returns the time in milliseconds.
double time_of_run(const options& settings, int steps) {
  double took = 0;
  const int status = run(settings, [&]() -> task<> {
    const auto cells = make_array<cube_cell>({edge, edge, edge});
    const double begin = seconds();
    const int right = co_await cells.reduce<&cube_cell::run>(min, steps);
    took = (seconds() - begin) * 1e3;
    EXPECT_EQ(right, 3 * steps);
  });
  EXPECT_EQ(status, 0);
  return took;
}

TEST(balance_groups, even_out_loads_while_elements_run) {
  const double none = time_of_run(many_pes(machine_kind::simulated, "none"), 8);
  const in_groups strategy("segments");
  options settings = many_pes(machine_kind::simulated, strategy.by.name());
  settings.balance.every_points = 2;
  EXPECT_LT(time_of_run(settings, 8), 0.75 * none);
}

TEST(balance_groups, lose_nothing_in_any_order) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    options settings = testing::seeded(pes, seed);
    const in_groups strategy(seed % 2 == 0 ? "curve" : "segments");
    settings.balance.strategy = strategy.by.name();
    settings.balance.every_points = 1;
    settings.serialize_always = seed % 2 == 0;
    time_of_run(settings, 4);
  }
}

}  // namespace imbrex::balance_groups_test
