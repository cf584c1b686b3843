// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/comparison.hpp>

#include <gtest/gtest.h>

#include <bit>

namespace {

using namespace imbrex::tune;

TEST(comparison, needs_as_many_wins_as_chance_seldom_gives) {
  for (int pairs = 3; pairs <= 16; ++pairs) {
    const int needed = needed_wins(pairs);
    int enough = 0;
    int fewer = 0;
    for (unsigned wins = 0; wins < 1U << pairs; ++wins) {  // one bit for each pair
      if (std::popcount(wins) >= needed) ++enough;
      if (std::popcount(wins) >= needed - 1) ++fewer;
    }
    EXPECT_LE(8 * enough, 1 << pairs) << pairs;
    EXPECT_GT(8 * fewer, 1 << pairs) << pairs;
  }
  EXPECT_EQ(needed_wins(3), 3);
  EXPECT_EQ(needed_wins(10), 8);
  EXPECT_GT(needed_wins(2), 2);
  EXPECT_GT(needed_wins(1), 1);
  EXPECT_LT(needed_wins(100), 60);
}

TEST(comparison, wants_a_gain_that_is_worth_it) {
  EXPECT_TRUE(is_better({1.03, 1.5, 1.021}, false));
  EXPECT_FALSE(is_better({1.03, 1.5, 0.99}, false));
  EXPECT_FALSE(is_better({1.01, 1.5, 1.02}, false));
  EXPECT_FALSE(is_better({2, 2}, false));
  EXPECT_FALSE(is_better({}, false));
  EXPECT_TRUE(is_better({1.1, 1.1, 1.1, 1.1, 1.1, 0.5}, false));
}

TEST(comparison, believes_exact_times) {
  EXPECT_TRUE(is_better({1.006}, true));
  EXPECT_FALSE(is_better({1.0002}, true));
  EXPECT_FALSE(is_better({1.0}, true));
  EXPECT_FALSE(is_better({}, true));
}

TEST(comparison, shows_the_run_in_the_middle) {
  const auto run = [](int time) { return observation{.time = imbrex::nanoseconds(time)}; };
  EXPECT_EQ(typical({run(3), run(1), run(2)})->time.count(), 2);
  EXPECT_EQ(typical({run(4), run(1), run(3), run(2)})->time.count(), 2);
  EXPECT_EQ(typical({{.failure = "no"}, run(5)})->time.count(), 5);
  EXPECT_EQ(typical({{.failure = "no"}}), nullptr);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({}), 0);
}

}  // namespace
