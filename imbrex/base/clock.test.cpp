// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/clock.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace {

using namespace std::chrono_literals;

TEST(real_clock, goes_on_with_time) {
  const imbrex::detail::real_clock time;
  const auto before = time.now();
  std::this_thread::sleep_for(2ms);
  EXPECT_GE(time.now() - before, 2ms);
}

TEST(simulated_clock, moves_when_told_and_never_back) {
  imbrex::detail::simulated_clock time;
  const imbrex::detail::clock& seen = time;
  EXPECT_EQ(seen.now(), 0ns);
  time.advance_to(5s);
  EXPECT_EQ(seen.now(), 5s);
  time.advance_to(1s);
  EXPECT_EQ(seen.now(), 5s);
}

TEST(local_clock, runs_ahead_with_what_is_charged_and_waits_with_the_shared_one) {
  imbrex::detail::simulated_clock shared;
  imbrex::detail::local_clock own_clock(shared);
  EXPECT_EQ(own_clock.now(), 0ns);
  own_clock.charge(3s);
  EXPECT_EQ(own_clock.now(), 3s);
  EXPECT_EQ(shared.now(), 0s);
  shared.advance_to(2s);
  EXPECT_EQ(own_clock.now(), 3s);
  shared.advance_to(5s);
  EXPECT_EQ(own_clock.now(), 5s);
  own_clock.charge(1s);
  EXPECT_EQ(own_clock.now(), 6s);
}

TEST(local_clock, comes_to_an_end_and_no_further) {
  imbrex::detail::simulated_clock shared;
  imbrex::detail::local_clock own_clock(shared);
  own_clock.charge(1s);
  own_clock.charge(imbrex::nanoseconds::max());
  own_clock.charge(1s);
  EXPECT_EQ(own_clock.now(), imbrex::nanoseconds::max());
}

TEST(local_clock, takes_back_a_charge) {
  imbrex::detail::simulated_clock shared;
  imbrex::detail::local_clock own_clock(shared);
  own_clock.charge(1s);
  const auto before = own_clock.free_from();
  own_clock.charge(4s);
  own_clock.take_back(before);
  EXPECT_EQ(own_clock.now(), 1s);
}

}  // namespace
