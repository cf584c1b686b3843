// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/options/faults.hpp>

#include <gtest/gtest.h>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/core/run/fault_sequence.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex {

namespace {

using namespace std::chrono_literals;
using testing::error_of;

TEST(faults, are_read_in_their_order) {
  const fault_settings all = parse_faults("--fault", "pe 17 at 3.2s; pe 3 at 4s, pes 12");
  ASSERT_EQ(all.listed.size(), 2U);
  EXPECT_EQ(all.listed[0].pe, 17);
  EXPECT_EQ(all.listed[0].when.time, 3200ms);
  EXPECT_EQ(all.listed[0].pes, 0);
  EXPECT_EQ(all.listed[1].pe, 3);
  EXPECT_EQ(all.listed[1].pes, 12);
  EXPECT_FALSE(all.random);
  const fault_settings by_events = parse_faults("--fault", " pe 0 at event 5000 ,pes 2");
  EXPECT_EQ(by_events.listed.at(0).when.events, 5000U);
  EXPECT_EQ(by_events.listed.at(0).pes, 2);
}

TEST(faults, are_drawn_by_chance_and_repeat) {
  const fault_settings all = parse_faults("--fault", "seed 7 every 5000 events, pes 1..7");
  ASSERT_TRUE(all.random);
  EXPECT_EQ(all.random->seed, 7U);
  detail::fault_sequence one(all), other(all);
  std::uint64_t last = 0;
  double sum = 0;
  constexpr int draws = 1000;
  for (int i = 0; i < draws; ++i) {
    const auto next = one.next(5);
    const auto again = other.next(5);
    ASSERT_TRUE(next && again);
    EXPECT_EQ(next->when.events, again->when.events);
    EXPECT_EQ(next->pe, again->pe);
    EXPECT_GE(next->pes, 1);
    EXPECT_LE(next->pes, 7);
    EXPECT_LT(next->pe, 5);
    EXPECT_GT(next->when.events, last);
    sum += static_cast<double>(next->when.events - last);
    last = next->when.events;
  }
  EXPECT_NEAR(sum / draws, 5000, 1000);
  const fault_settings by_time = parse_faults("--fault", "seed 1 every 2ms");
  EXPECT_EQ(by_time.random->mean.time, 2ms);
  EXPECT_GT(detail::fault_sequence(by_time).next(2)->when.time, 0ns);
}

TEST(faults, that_cannot_be_read_are_refused_with_the_wrong_part) {
  for (const char* const wrong : {"",
                                  "pe",
                                  "pe x at 3s",
                                  "pe -1 at 3s",
                                  "pe 1 at",
                                  "pe 1 at 3",
                                  "pe 1 at 0s",
                                  "pe 1 at event 0",
                                  "pe 1 at 3s, pes 0",
                                  "pe 1 at 3s pes 4",
                                  "pe 1 at 3s;",
                                  "pe 1 at 3s; pe 2 at 2s",
                                  "pe 1 at 3s; pe 2 at event 9",
                                  "seed",
                                  "seed 7",
                                  "seed 7 every",
                                  "seed 7 every 0 events",
                                  "seed 7 every 5",
                                  "seed 7 every 2s, pes",
                                  "seed 7 every 2s, pes 3..1",
                                  "seed 7 every 2s, pes 0..1",
                                  "seed 7 every 2s; pe 1 at 3s"}) {
    const std::string problem =
        error_of<usage_error>([&] { static_cast<void>(parse_faults("--fault", wrong)); });
    EXPECT_NE(problem.find("--fault"), std::string::npos) << wrong;
    EXPECT_NE(problem.find("pe 17 at 3.2s"), std::string::npos) << wrong;
  }
  const fault_settings all = parse_faults("--fault", "pe 4 at 3s");
  detail::fault_sequence faults(all);
  EXPECT_EQ(error_of<usage_error>([&] { static_cast<void>(faults.next(4)); }),
            "--fault pe 4 at 3s: the run has 4 PEs then, numbered from 0");
}

}  // namespace

}  // namespace imbrex
