// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <functional>
#include <random>

#include <imbrex/base/error.hpp>
#include <imbrex/tools/process/trial.hpp>

namespace {

using namespace std::chrono_literals;
using namespace imbrex::tune;
using imbrex::nanoseconds;

space space_of(const std::vector<int>& sizes) {
  space result;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    dimension one{"--d" + std::to_string(k), {{}}};
    for (int value = 1; value < sizes[k]; ++value)
      one.alternatives.push_back({{one.option, std::to_string(value)}});
    result.dimensions.push_back(one);
  }
  return result;
}

/// A program whose times are a function of its configuration and of the run's number.
class imagined final : public subject {
 public:
  using function = std::function<double(const configuration&, int)>;  // ms; negative: the run fails
  explicit imagined(function time) : time_(std::move(time)) {}

  observation run(const configuration& at, nanoseconds limit) override {
    const double time = time_(at, runs++);
    if (time < 0) return {.cost = 1ms, .failure = "no luck"};
    const nanoseconds took(static_cast<std::int64_t>(time * 1e6));
    if (took > limit) return {.cost = limit, .failure = "took too long"};
    return {.time = took, .cost = took, .simulated_time = simulated_time(at)};
  }

  int runs = 0;
  std::function<bool(const configuration&)> simulated_time = [](const configuration&) { return true; };

 private:
  function time_;
};

search_result found(const space& where, imagined& program, effort most = {.budget = 1h}) {
  return search(where, program, most).run();
}

TEST(search, finds_the_best_of_independent_dimensions_exactly) {
  const std::vector<std::vector<double>> costs{{5, 3, 4}, {2, 2.5, 1}, {1, 0.5}};
  const auto time = [&](const configuration& at) {
    return costs[0][at[0]] + costs[1][at[1]] + costs[2][at[2]];
  };
  imagined program([&](const configuration& at, int) { return time(at); });
  const search_result result = found(space_of({3, 3, 2}), program);
  EXPECT_TRUE(result.exact);
  EXPECT_EQ(result.chosen, (configuration{1, 2, 1}));
  ASSERT_TRUE(result.confirmation);
  EXPECT_DOUBLE_EQ(result.confirmation->ratio(), 8 / 4.5);
  // Each configuration runs once, except the default, which shows whether times are exact.
  EXPECT_LE(program.runs, 3 * 3 * 2 + 1);
}

TEST(search, takes_equal_times_for_exact_only_in_simulated_time) {
  const auto time = [](const configuration& at, int) { return at[0] == 1 ? 99.5 : 100.0; };
  imagined real(time);
  real.simulated_time = [](const configuration&) { return false; };
  EXPECT_FALSE(found(space_of({2}), real).exact);
  EXPECT_EQ(found(space_of({2}), real).chosen, configuration{0}) << "a gain of half a percent is none";
  imagined mixed(time);
  mixed.simulated_time = [](const configuration& at) { return at[0] == 0; };
  EXPECT_FALSE(found(space_of({2}), mixed).exact);
  EXPECT_EQ(found(space_of({2}), mixed).chosen, configuration{0});
  imagined exact(time);
  EXPECT_EQ(found(space_of({2}), exact).chosen, configuration{1});
}

TEST(search, goes_on_while_dimensions_depend_on_each_other) {
  // The second dimension helps only with the first, and the first more with the second.
  const double times[2][3] = {{10, 11, 12}, {9, 7, 8}};
  const double second[3] = {0, 3, 0};
  imagined program([&](const configuration& at, int) { return times[at[0]][at[1]] + second[at[2]]; });
  EXPECT_EQ(found(space_of({2, 3, 3}), program).chosen, (configuration{1, 1, 0}));
}

TEST(search, is_not_deceived_by_noise) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 chance(seed);
    std::uniform_real_distribution<double> noise(0.9, 1.1);
    imagined program([&](const configuration& at, int) { return (at[0] == 2 ? 60 : 100) * noise(chance); });
    EXPECT_EQ(found(space_of({4}), program).chosen, configuration{2}) << seed;
  }
}

TEST(search, is_not_deceived_by_a_machine_that_changes_its_speed) {
  // The machine becomes slower all the time; the only candidate that is a little faster comes last.
  imagined program(
      [](const configuration& at, int run) { return (at[0] == 3 ? 90 : 100) * (1 + 0.01 * run); });
  EXPECT_EQ(found(space_of({4}), program).chosen, configuration{3});
  // The machine becomes faster all the time, so only later runs are faster.
  imagined same([](const configuration&, int run) { return 100 * std::pow(0.97, run); });
  EXPECT_EQ(found(space_of({4}), same).chosen, configuration{0});
}

TEST(search, seldom_chooses_what_is_slower_however_noisy_the_machine) {
  int wrong = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 chance(seed);
    std::lognormal_distribution<double> noise(0, 0.5);
    imagined program(
        [&](const configuration& at, int) { return (at[0] + at[1] > 0 ? 150 : 100) * noise(chance); });
    if (found(space_of({2, 2}), program).chosen != configuration{0, 0}) ++wrong;
  }
  // The slower configuration wins a pair with a probability of 0.283. It must win three pairs and then 8 of
  // 10. So 0.005 wrong results are expected in 200 searches, for each of three candidates.
  EXPECT_EQ(wrong, 0);
}

TEST(search, does_not_believe_what_fresh_pairs_do_not_confirm) {
  imagined program(
      [](const configuration& at, int run) { return at[0] == 1 && run < 8 ? 50.0 : 100.0 + run; });
  const search_result result = found(space_of({2}), program);
  EXPECT_EQ(result.tried.at(0).result, outcome::better);
  ASSERT_TRUE(result.confirmation);
  EXPECT_EQ(result.confirmation->result, outcome::not_better);
  EXPECT_EQ(result.chosen, configuration{0});
}

TEST(search, passes_over_what_fails) {
  imagined program([](const configuration& at, int run) {
    if (at[0] == 1) return -1.0;
    return at[0] == 2 ? 50.0 + run % 2 : 100.0 + run;
  });
  const search_result result = found(space_of({3}), program);
  EXPECT_EQ(result.tried.at(0).result, outcome::failed);
  EXPECT_EQ(result.tried.at(0).failure, "no luck");
  EXPECT_EQ(result.chosen, configuration{2});
}

TEST(search, passes_over_what_fails_only_later) {
  imagined program([](const configuration& at, int run) {
    if (at[0] == 1) return run > 8 ? -1.0 : 50.0;
    return 100.0 + run;
  });
  const search_result result = found(space_of({2}), program);
  ASSERT_TRUE(result.confirmation);
  EXPECT_EQ(result.confirmation->result, outcome::failed);
  EXPECT_EQ(result.chosen, configuration{0});
}

TEST(search, blames_what_has_failed_and_not_what_stood_beside_it) {
  // Alternative 1 is found first and fails when 2 is compared with it; 2 is as good.
  int runs_of_1 = 0;
  imagined program([&](const configuration& at, int run) {
    if (at[0] == 1 && ++runs_of_1 > 3) return -1.0;
    return at[0] > 0 ? 50.0 : 100.0 + run;
  });
  const search_result result = found(space_of({3}), program);
  EXPECT_EQ(result.tried.at(0).candidate, configuration{1});
  EXPECT_EQ(result.tried.at(0).failure, "failed later: no luck");
  EXPECT_EQ(result.tried.at(1).result, outcome::better);
  EXPECT_EQ(result.chosen, configuration{2});
}

TEST(search, does_not_blame_a_candidate_for_the_default) {
  imagined program([](const configuration& at, int run) {
    return at[0] > 0 ? 50.0 : run > 3 ? -1.0 : 100.0 + run;
  });
  const search_result result = found(space_of({3}), program);
  ASSERT_EQ(result.tried.size(), 2U);
  for (const comparison& one : result.tried) {
    EXPECT_EQ(one.result, outcome::undecided);
    EXPECT_EQ(one.failure, "no luck");
  }
  EXPECT_EQ(result.chosen, configuration{0});
}

TEST(search, confirms_nothing_beside_a_default_that_fails) {
  imagined program([](const configuration& at, int run) {
    if (at[0] == 1) return 50.0;
    return run > 10 ? -1.0 : 100.0 + run;
  });
  const search_result result = found(space_of({2}), program);
  ASSERT_TRUE(result.confirmation);
  EXPECT_EQ(result.confirmation->result, outcome::undecided);
  EXPECT_EQ(result.chosen, configuration{0});
}

/// An interrupt arrives in run `last_run`: 1 is best, and 2 has not been tried by then.
imagined interrupted_in(int last_run, bool is_virtual) {
  imagined program([last_run](const configuration& at, int run) {
    if (run == last_run) throw imbrex::tools::interrupted(SIGTERM);
    return at[0] == 1 ? 50.0 : 100.0;
  });
  program.simulated_time = [is_virtual](const configuration&) { return is_virtual; };
  return program;
}

TEST(search, keeps_what_it_knows_when_it_is_interrupted) {
  imagined program = interrupted_in(9, false);
  const search_result result = found(space_of({3}), program);
  EXPECT_EQ(result.interrupted, SIGTERM);
  ASSERT_EQ(result.tried.size(), 1U);
  EXPECT_EQ(result.tried[0].result, outcome::better);
  EXPECT_EQ(result.best, configuration{1});
  EXPECT_EQ(result.untried, (std::vector<configuration>{{2}}));
  EXPECT_FALSE(result.confirmation);
  EXPECT_EQ(result.chosen, configuration{0}) << "nobody has confirmed it";
}

TEST(search, confirms_half_of_nothing) {
  imagined program = interrupted_in(2 + 6 + 2 + 15, false);
  const search_result result = found(space_of({3}), program);
  EXPECT_EQ(result.interrupted, SIGTERM);
  EXPECT_EQ(result.tried.size(), 2U);
  EXPECT_TRUE(result.untried.empty());
  EXPECT_FALSE(result.confirmation);
  EXPECT_EQ(result.chosen, configuration{0});
}

TEST(search, needs_no_run_to_confirm_exact_times) {
  imagined program = interrupted_in(3, true);
  const search_result result = found(space_of({3}), program);
  EXPECT_EQ(result.interrupted, SIGTERM);
  EXPECT_EQ(result.untried, (std::vector<configuration>{{2}}));
  ASSERT_TRUE(result.confirmation);
  EXPECT_EQ(result.chosen, configuration{1});
}

TEST(search, keeps_what_it_knows_when_a_run_is_given_up) {
  imagined program([](const configuration& at, int run) {
    if (run == 9) throw imbrex::tools::disturbed("one run was given up");
    return at[0] == 1 ? 50.0 : 100.0;
  });
  program.simulated_time = [](const configuration&) { return false; };
  const search_result result = found(space_of({3}), program);
  EXPECT_EQ(result.abort_reason, "one run was given up");
  EXPECT_TRUE(result.ended_early());
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.best, configuration{1});
  EXPECT_EQ(result.untried, (std::vector<configuration>{{2}}));
  EXPECT_EQ(result.chosen, configuration{0});
}

TEST(search, has_nothing_to_tell_when_it_is_interrupted_at_once) {
  imagined program = interrupted_in(1, false);
  EXPECT_THROW(found(space_of({3}), program), imbrex::tools::interrupted);
}

TEST(search, ends_runs_when_its_time_has_passed) {
  std::vector<nanoseconds> limits;
  struct limited final : subject {
    explicit limited(std::vector<nanoseconds>& seen) : limits(seen) {}
    observation run(const configuration&, nanoseconds limit) override {
      limits.push_back(limit);
      return {.time = 1s, .cost = 2s};
    }
    std::vector<nanoseconds>& limits;
  } program(limits);
  const space where = space_of({1});
  search(where, program, {.budget = 5s}).run();
  EXPECT_EQ(limits, (std::vector<nanoseconds>{5s, 3s}));
  EXPECT_THROW(search(where, program, {.budget = 2s}).run(), imbrex::error);
}

TEST(search, counts_what_was_lost_to_its_time_and_not_to_what_runs_cost) {
  struct stopped_once final : subject {
    observation run(const configuration& at, nanoseconds) override {
      const nanoseconds time = at[0] == 1 ? 1s : 2s;
      return {.time = time, .cost = time, .lost = runs++ == 1 ? 50s : 0s, .simulated_time = true};
    }
    int runs = 0;
  } program;
  const space where = space_of({2});
  const search_result result = search(where, program, {.budget = 60s}).run();
  EXPECT_EQ(result.spent, 2s + 52s + 1s);
  EXPECT_EQ(result.chosen, configuration{1});
}

TEST(search, does_not_wait_for_what_is_much_slower) {
  imagined program([](const configuration& at, int run) { return at[0] == 1 ? 1e9 : 10'000.0 + run; });
  const search_result result = found(space_of({2}), program);
  EXPECT_EQ(result.tried.at(0).failure, "took too long");
  EXPECT_LT(result.spent, 90s);
}

TEST(search, keeps_to_its_time) {
  imagined program([](const configuration& at, int run) { return (at[0] > 0 ? 500.0 : 1000.0) + run; });
  const search_result result = found(space_of({20}), program, {.budget = 30s});
  EXPECT_LE(result.spent, 30s);
  EXPECT_FALSE(result.untried.empty());
  EXPECT_EQ(result.chosen, configuration{1});
  const search_result none = found(space_of({20}), program, {.budget = 3s});
  EXPECT_EQ(none.chosen, configuration{0});
  EXPECT_TRUE(none.tried.empty());
  EXPECT_EQ(none.untried.size(), 19U);
}

TEST(search, needs_a_default_that_works) {
  imagined program([](const configuration&, int) { return -1.0; });
  const space where = space_of({2});
  EXPECT_THROW(search(where, program, {.budget = 1h}).run(), imbrex::error);
}

TEST(search, takes_runs_that_there_are) {
  imagined program([](const configuration&, int) { return 10.0; });
  const space where = space_of({1});
  const search_result result =
      search(where, program, {.budget = 1h}).run({{.time = 10ms, .cost = 20ms, .simulated_time = true}});
  EXPECT_EQ(program.runs, 1);
  EXPECT_TRUE(result.exact);
  EXPECT_EQ(result.spent, 30ms);
}

TEST(search, spares_a_process_by_itself_what_is_for_jobs) {
  space where = space_of({2, 2});
  where.dimensions[0].alternatives[1].processes = 2;
  where.dimensions[1].for_jobs = true;
  std::vector<configuration> seen;
  imagined program([&](const configuration& at, int) {
    seen.push_back(at);
    return at[0] == 1 ? 20.0 : 10.0;
  });
  found(where, program);
  EXPECT_EQ(std::ranges::count(seen, configuration{0, 1}), 0);
}

}  // namespace
