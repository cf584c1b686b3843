// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/transport/wait_pace.hpp>

#include <gtest/gtest.h>

namespace imbrex::resident {
namespace {

TEST(wait_pace, yields_while_that_is_quick) {
  wait_pace pace;
  for (int n = 0; n < 5; ++n) {
    EXPECT_FALSE(pace.sleeps());
    pace.yielded(wait_pace::slow - nanoseconds(1));
  }
}

TEST(wait_pace, sleeps_for_some_times_after_a_slow_yield) {
  wait_pace pace;
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(pace.sleeps());
    pace.yielded(wait_pace::slow);
    for (int n = 0; n < wait_pace::pauses; ++n) EXPECT_TRUE(pace.sleeps()) << n;
  }
  EXPECT_FALSE(pace.sleeps());
}

}  // namespace
}  // namespace imbrex::resident
