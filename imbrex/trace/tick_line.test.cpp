// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/tick_line.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/host/ticks.hpp>

namespace imbrex::trace {
namespace {

TEST(TickLine, GoesThroughItsReadings) {
  tick_line line({1'000, 50'000});
  EXPECT_EQ(line.ns(1'500), 50'000U);  // without a second reading there is no rate
  line.add({3'000, 51'000});           // 2 ticks a ns
  EXPECT_EQ(line.ns(1'000), 50'000U);
  EXPECT_EQ(line.ns(2'000), 50'500U);
  EXPECT_EQ(line.ns(4'000), 51'500U);  // extended
  line.add({4'000, 53'000});           // half a tick a ns
  EXPECT_EQ(line.ns(2'000), 50'500U);  // earlier pieces do not change
  EXPECT_EQ(line.ns(3'500), 52'000U);
  EXPECT_EQ(line.ns(4'000), 53'000U);
}

TEST(TickLine, LeavesOutReadingsThatTellNothing) {
  tick_line line({1'000, 50'000});
  line.add({1'000, 50'000});
  line.add({2'000, 51'000});
  line.add({2'000, 51'500});
  line.add({3'000, 50'900});
  EXPECT_EQ(line.ns(4'000), 53'000U);
}

TEST(TickLine, OfClocksThatDriftNeverDecreasesAndEndsAtEachReading) {
  std::mt19937_64 random(3);
  double rate = 0.4;  // ns a tick
  double at = 1e12;
  std::uint64_t ticks = 7'000'000'000;
  const tick_line::reading first{ticks, static_cast<std::uint64_t>(at)};
  tick_line line(first);
  std::uint64_t last = 0;
  for (int n = 0; n < 1'000; ++n) {
    const std::uint64_t before = ticks;
    const double from = at;
    const std::uint64_t more = random() % 10'000'000 + 1'000;
    rate *= 1 + (static_cast<double>(random() % 200) - 100) * 1e-6;
    ticks += more;
    at += static_cast<double>(more) * rate;
    line.add({ticks, static_cast<std::uint64_t>(at)});
    for (std::uint64_t part = 0; part < 10; ++part) {
      const auto moment = before + more * part / 10;
      const auto ns = line.ns(moment);
      EXPECT_GE(ns + 1, last);
      EXPECT_NEAR(static_cast<double>(ns), from + static_cast<double>(moment - before) * rate, 2);
      last = ns;
    }
  }
  // For long ago the line only fits its ends.
  EXPECT_EQ(line.ns(first.ticks), first.ns);
  EXPECT_NEAR(static_cast<double>(line.ns((first.ticks + ticks) / 2)),
              (static_cast<double>(first.ns) + at) / 2, (at - static_cast<double>(first.ns)) * 1e-2);
}

/// The number of readings, of 100, that are not on the line through one before and one after them.
int readings_beside_their_line() {
  tick_line line(tick_line::read_both());
  std::vector<tick_line::reading> between;
  for (int n = 0; n < 100; ++n) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    between.push_back(tick_line::read_both());
  }
  line.add(tick_line::read_both());
  int far = 0;
  for (const auto& entry : between)
    if (std::llabs(static_cast<std::int64_t>(line.ns(entry.ticks) - entry.ns)) > 5'000) ++far;
  return far;
}

TEST(TickLine, OfThisMachineIsItsClock) {
  if (!ticks_are_even()) GTEST_SKIP() << "this machine's counter is not its clock";
  // Readings may be interrupted, on a busy machine also one of the two that define the line.
  int far = readings_beside_their_line();
  for (int again = 0; again < 4 && far > 10; ++again) far = std::min(far, readings_beside_their_line());
  EXPECT_LE(far, 10);
}

}  // namespace
}  // namespace imbrex::trace
