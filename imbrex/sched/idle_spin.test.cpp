// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/idle_spin.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace imbrex::detail {
namespace {

using std::chrono::microseconds;

TEST(idle_spin, lasts_twice_as_long_as_a_wake_within_bounds) {
  EXPECT_EQ(idle_spin(microseconds(44)).time(false), microseconds(88));
  EXPECT_EQ(idle_spin(microseconds(3)).time(false), idle_spin::shortest);
  EXPECT_EQ(idle_spin(microseconds(5'000)).time(false), idle_spin::longest);
  EXPECT_EQ(idle_spin().time(false), idle_spin::shortest);
}

TEST(idle_spin, lasts_longer_where_it_looks_at_a_network) {
  EXPECT_EQ(idle_spin(microseconds(3)).time(true), idle_spin::shortest_with_network);
  EXPECT_EQ(idle_spin(microseconds(44)).time(true), idle_spin::shortest_with_network);
  EXPECT_EQ(idle_spin(microseconds(90)).time(true), microseconds(180));
}

TEST(wake, takes_some_time) {
  const real_clock time;
  const auto begun = time.now();
  const auto wake = measure_wake();
  ASSERT_TRUE(wake);
  EXPECT_GT(*wake, nanoseconds(0));
  EXPECT_LT(*wake, time.now() - begun);
}

TEST(wake, is_not_measured_where_there_can_be_no_door) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto wake = measure_wake();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(wake);
}

}  // namespace
}  // namespace imbrex::detail
