// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/decision.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace imbrex::balance {
namespace {

TEST(decision, does_nothing_where_nothing_can_be_gained) {
  decision d;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(d.next({.busiest = 1, .average = 1, .largest = 0.1}), action::wait);
    EXPECT_EQ(d.next({.busiest = 5, .average = 1, .largest = 5}), action::wait);  // one huge object
    EXPECT_EQ(d.next({}), action::wait);
  }
}

TEST(decision, acts_when_the_loss_exceeds_the_cost) {
  decision d;
  const period uneven{.busiest = 1.5, .average = 1, .largest = 0.1};
  EXPECT_EQ(d.next(uneven), action::wait);
  EXPECT_EQ(d.next(uneven), action::wait);
  EXPECT_EQ(d.next(uneven), action::act);  // 1.5 periods are lost, which is more than one period's work
  d.done(2);
  const period better{.busiest = 1.25, .average = 1, .largest = 0.1};
  for (int i = 1; i <= 8; ++i) EXPECT_EQ(d.next(better), action::wait) << i;
  EXPECT_DOUBLE_EQ(d.gain(), 0.25);
  EXPECT_EQ(d.next(better), action::act);
}

TEST(decision, rests_after_a_step_however_much_is_lost) {
  decision d;
  int last = -10;
  for (int i = 0; i < 100; ++i) {
    const double busiest = i % 3 == 1 ? 50 : 100;  // so each step seems to gain
    if (d.next({.busiest = busiest, .average = 1, .largest = 0}) == action::wait) continue;
    EXPECT_GE(i - last, 3);
    last = i;
    d.done(1e-6);
  }
  EXPECT_GE(last, 90);
}

TEST(decision, takes_back_a_step_that_lost_once_and_waits_longer) {
  decision d;
  const period uneven{.busiest = 2, .average = 1, .largest = 0};
  const period worse{.busiest = 3, .average = 1, .largest = 0};
  std::vector<int> steps;
  bool acted = false;
  for (int i = 0; i < 200; ++i) {
    const action next = d.next(acted ? worse : uneven);
    EXPECT_EQ(next == action::take_back, acted) << i;
    acted = next == action::act;
    if (acted) steps.push_back(i);
    if (next != action::wait) d.done(1);
  }
  ASSERT_GE(steps.size(), 4U);
  ASSERT_LE(steps.size(), 9U);  // the wait doubles
  for (std::size_t k = 2; k < steps.size(); ++k)
    EXPECT_GE(steps[k] - steps[k - 1], steps[k - 1] - steps[k - 2]);
}

TEST(decision, neither_judges_nor_takes_back_a_step_that_moved_nothing) {
  decision d;
  const period uneven{.busiest = 2, .average = 1, .largest = 0};
  std::vector<int> steps;
  for (int i = 0; i < 200; ++i) {
    const action next = d.next(uneven);
    EXPECT_NE(next, action::take_back) << i;
    if (next != action::act) continue;
    d.found_nothing();
    steps.push_back(i);
  }
  ASSERT_GE(steps.size(), 4U);
  ASSERT_LE(steps.size(), 8U);  // the wait doubles
  EXPECT_EQ(d.gain(), 0);
}

/// All times of a run in another unit: the decisions stay.
TEST(decision, knows_no_unit_of_time) {
  for (const double unit : {1e-9, 1.0, 1e9}) {
    decision d;
    std::vector<action> actions;
    for (int i = 0; i < 50; ++i) {
      const action next =
          d.next({.busiest = unit * (2 + std::sin(i)), .average = unit, .largest = 0.5 * unit});
      if (next != action::wait) d.done(unit * 0.75);
      actions.push_back(next);
    }
    static const std::vector<action> first = actions;
    EXPECT_EQ(actions, first) << unit;
  }
}

}  // namespace
}  // namespace imbrex::balance
