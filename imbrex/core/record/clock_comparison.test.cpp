// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/clock_comparison.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace imbrex::detail {
namespace {

class ClockComparison : public ::testing::Test {
 protected:
  int question_count = 0;
  std::vector<trace::clock_reading> found;
  clock_comparison comparison{[this] { ++question_count; },
                              [this](const trace::clock_reading& reading) { found.push_back(reading); }};
};

TEST_F(ClockComparison, TellsTheQuickestQuestionAndTheQuickestAnswerOfARow) {
  constexpr std::int64_t ahead = -123'456'789;
  std::mt19937_64 random(7);
  std::uint64_t now = 1'000'000'000;
  auto quickest_there = ~std::uint64_t{0};
  auto quickest_back = quickest_there;
  comparison.go_on(now);
  for (int n = 1; n <= clock_comparison::questions; ++n) {
    ASSERT_EQ(question_count, n);
    const std::uint64_t there_after = 1'000 + random() % 50'000;
    const std::uint64_t back_after = 1'000 + random() % 50'000;
    const std::uint64_t begun = now;
    now += there_after + back_after;
    quickest_there = std::min(quickest_there, there_after);
    quickest_back = std::min(quickest_back, back_after);
    comparison.answered(
        begun, static_cast<std::uint64_t>(static_cast<std::int64_t>(begun + there_after) + ahead), now);
  }
  ASSERT_EQ(found.size(), 2U);
  EXPECT_LT(found[0].here, found[1].here);
  const auto there = [&](const auto& r) {
    return r.ahead - ahead + static_cast<std::int64_t>(r.round_trip / 2);
  };
  const auto back = [&](const auto& r) { return static_cast<std::int64_t>(r.round_trip) - there(r); };
  EXPECT_EQ(std::min(there(found[0]), there(found[1])), static_cast<std::int64_t>(quickest_there));
  EXPECT_EQ(std::min(back(found[0]), back(found[1])), static_cast<std::int64_t>(quickest_back));
}

TEST_F(ClockComparison, AsksAgainAfterAWhileAlsoIfAnswersWereLost) {
  comparison.go_on(5);
  comparison.go_on(6);
  EXPECT_EQ(question_count, 1);
  comparison.go_on(5 + clock_comparison::between_rows);
  EXPECT_EQ(question_count, 2);
}

TEST_F(ClockComparison, TellsAlsoWhatARowBringsThatTakesLong) {
  std::uint64_t now = 1'000'000'000;
  for (int item = 0; item < 8; ++item) {
    comparison.go_on(now);
    comparison.answered(now, now + 50, now + 100);
    now += clock_comparison::between_rows;
  }
  EXPECT_EQ(found.size(), 7U);
}

TEST_F(ClockComparison, TakesNoAnswersThatItDidNotAskFor) {
  comparison.answered(1, 2, 3);
  EXPECT_EQ(question_count, 0);
  comparison.go_on(10);
  comparison.answered(20, 15, 12);  // the reply has arrived before its request was sent
  for (int n = 0; n < 2 * clock_comparison::questions; ++n) comparison.answered(10, 5, 12);
  EXPECT_EQ(question_count, clock_comparison::questions);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ahead, -6);
}

}  // namespace
}  // namespace imbrex::detail
