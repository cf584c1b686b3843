// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/clock.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace {

using namespace std::chrono_literals;

TEST(real_clock, goes_on_with_time) {
  const imbrex::real_clock time;
  const auto before = time.now();
  std::this_thread::sleep_for(2ms);
  EXPECT_GE(time.now() - before, 2ms);
}

TEST(simulated_clock, moves_when_told_and_never_back) {
  imbrex::simulated_clock time;
  const imbrex::clock& seen = time;
  EXPECT_EQ(seen.now(), 0ns);
  time.advance_to(5s);
  EXPECT_EQ(seen.now(), 5s);
  time.advance_to(1s);
  EXPECT_EQ(seen.now(), 5s);
}

TEST(local_clock, runs_ahead_with_what_is_charged_and_waits_with_the_shared_one) {
  imbrex::simulated_clock shared;
  imbrex::local_clock mine(shared);
  EXPECT_EQ(mine.now(), 0ns);
  mine.charge(3s);
  EXPECT_EQ(mine.now(), 3s);
  EXPECT_EQ(shared.now(), 0s);
  shared.advance_to(2s);
  EXPECT_EQ(mine.now(), 3s);
  shared.advance_to(5s);
  EXPECT_EQ(mine.now(), 5s);
  mine.charge(1s);
  EXPECT_EQ(mine.now(), 6s);
}

TEST(local_clock, comes_to_an_end_and_no_further) {
  imbrex::simulated_clock shared;
  imbrex::local_clock mine(shared);
  mine.charge(1s);
  mine.charge(imbrex::nanoseconds::max());
  mine.charge(1s);
  EXPECT_EQ(mine.now(), imbrex::nanoseconds::max());
}

TEST(local_clock, takes_back_a_charge) {
  imbrex::simulated_clock shared;
  imbrex::local_clock mine(shared);
  mine.charge(1s);
  const auto before = mine.free_from();
  mine.charge(4s);
  mine.take_back(before);
  EXPECT_EQ(mine.now(), 1s);
}

}  // namespace
