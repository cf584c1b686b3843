// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/wake_margin.hpp>

#include <gtest/gtest.h>

namespace imbrex::detail {
namespace {

using namespace std::chrono_literals;

TEST(wake_margin, is_what_15_of_16_sleeps_were_late_by) {
  wake_margin margin;
  for (int i = 1; i <= 32; ++i) margin.learn(std::chrono::microseconds(i));
  EXPECT_EQ(margin.get(), 30us);
}

TEST(wake_margin, follows_the_latest_sleeps) {
  wake_margin margin;
  for (int i = 0; i < 100; ++i) margin.learn(50us);
  EXPECT_EQ(margin.get(), 50us);
  for (int i = 0; i < 32; ++i) margin.learn(3us);
  EXPECT_EQ(margin.get(), 3us);
}

TEST(wake_margin, is_not_led_astray_by_few_or_impossible_sleeps) {
  wake_margin margin;
  for (int i = 0; i < 30; ++i) margin.learn(5us);
  for (int i = 0; i < 2; ++i) margin.learn(30ms);
  EXPECT_EQ(margin.get(), 5us);
  for (int i = 0; i < 32; ++i) margin.learn(30ms);
  EXPECT_EQ(margin.get(), wake_margin::largest);
  for (int i = 0; i < 32; ++i) margin.learn(-5us);
  EXPECT_EQ(margin.get(), 0us);
}

}  // namespace
}  // namespace imbrex::detail
