// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/clock_comparison.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace imbrex::detail {
namespace {

class ClockComparison : public testing::Test {
 protected:
  int asked = 0;
  std::vector<trace::clock_reading> found;
  clock_comparison comparison{[this] { ++asked; },
                              [this](const trace::clock_reading& reading) { found.push_back(reading); }};
};

TEST_F(ClockComparison, BelievesTheQuickestOfARowOfAnswers) {
  constexpr std::int64_t ahead = -123'456'789;
  std::mt19937_64 random(7);
  std::uint64_t now = 1'000'000'000;
  std::uint64_t quickest = ~std::uint64_t{0};
  comparison.go_on(now);
  for (int n = 1; n <= clock_comparison::questions; ++n) {
    ASSERT_EQ(asked, n);
    const std::uint64_t there_after = 1'000 + random() % 50'000;
    const std::uint64_t back_after = 1'000 + random() % 50'000;
    const std::uint64_t begun = now;
    now += there_after + back_after;
    quickest = std::min(quickest, now - begun);
    comparison.answered(
        begun, static_cast<std::uint64_t>(static_cast<std::int64_t>(begun + there_after) + ahead), now);
  }
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].round_trip, quickest);
  EXPECT_LE(std::abs(found[0].ahead - ahead), static_cast<std::int64_t>(quickest / 2));
}

TEST_F(ClockComparison, AsksAgainAfterAWhileAlsoIfAnswersWereLost) {
  comparison.go_on(5);
  comparison.go_on(6);
  EXPECT_EQ(asked, 1);
  comparison.go_on(5 + clock_comparison::between_rows);
  EXPECT_EQ(asked, 2);
}

TEST_F(ClockComparison, TakesNoAnswersThatItDidNotAskFor) {
  comparison.answered(1, 2, 3);
  EXPECT_EQ(asked, 0);
  comparison.go_on(10);
  comparison.answered(20, 15, 12);  // asked for after it came
  for (int n = 0; n < 2 * clock_comparison::questions; ++n) comparison.answered(10, 5, 12);
  EXPECT_EQ(asked, clock_comparison::questions);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ahead, -6);
}

TEST_F(ClockComparison, KeepsBackSlowAnswersWhileThereAreQuickOnes) {
  std::uint64_t now = 10'000'000'000;
  const auto row = [&](std::uint64_t round_trip) {
    now += clock_comparison::between_rows;
    comparison.go_on(now);
    for (int n = 0; n < clock_comparison::questions; ++n) comparison.answered(now - round_trip, now, now);
  };
  row(1'000);
  row(1'049);
  EXPECT_EQ(found.size(), 2U);
  for (const std::uint64_t slow : {5'000, 3'000, 4'000}) row(slow);
  EXPECT_EQ(found.size(), 2U);
  for (int n = 0; n < 4; ++n) row(5'000);
  EXPECT_EQ(found.size(), 2U);
  row(5'000);  // two seconds after the last that was told
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found.back().round_trip, 3'000U);
  row(900);
  ASSERT_EQ(found.size(), 4U);
  row(1'000);  // not as good any more
  EXPECT_EQ(found.size(), 4U);
}

}  // namespace
}  // namespace imbrex::detail
