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

TEST(virtual_clock, moves_when_told_and_never_back) {
  imbrex::virtual_clock time;
  const imbrex::clock& seen = time;
  EXPECT_EQ(seen.now(), 0ns);
  time.advance_to(5s);
  EXPECT_EQ(seen.now(), 5s);
  time.advance_to(1s);
  EXPECT_EQ(seen.now(), 5s);
}

}  // namespace
