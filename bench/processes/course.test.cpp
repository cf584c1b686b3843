// SPDX-License-Identifier: Apache-2.0
#include "bench/processes/course.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include <imbrex/base/error.hpp>

#include "bench/processes/contents.hpp"
#include "bench/processes/rounds.hpp"

namespace bench {
namespace {

template <class... Word>
course parsed(const Word*... words) {
  const std::array<const char*, sizeof...(Word) + 1> line{"program", words...};
  return parse_course(static_cast<int>(line.size()), line.data(), "usage", false);
}

TEST(course, goes_through_powers_of_two) {
  const course plan = parsed("--smallest", "4", "--largest", "35");
  EXPECT_EQ(plan.sizes(), (std::vector<std::size_t>{4, 8, 16, 32}));
  EXPECT_EQ(parsed().sizes().size(), 23U);
  EXPECT_EQ(parsed("--bench", "rate").sizes().back(), 4096U);
}

TEST(course, large_messages_have_fewer_rounds) {
  const course plan = parsed("--bench", "bandwidth", "--rounds", "1000", "--megabytes", "64");
  EXPECT_EQ(plan.rounds_of(1), 1000);
  EXPECT_EQ(plan.rounds_of(10'000), 100);
  EXPECT_EQ(plan.rounds_of(4'194'304), course::stretches);
}

TEST(course, refuses_what_cannot_be) {
  EXPECT_THROW(parsed("--bench", "gossip"), imbrex::usage_error);
  EXPECT_THROW(parsed("--bench", "broadcast"), imbrex::usage_error);
  EXPECT_THROW(parsed("--largest", "4", "--smallest", "8"), imbrex::usage_error);
  EXPECT_THROW(parsed("--window", "0"), imbrex::usage_error);
  EXPECT_THROW(parsed("--payload", "borrowed"), imbrex::usage_error);
  EXPECT_THROW(check_two_processes(3, "usage"), imbrex::usage_error);
}

TEST(rounds, begin_with_a_checked_one_and_count_only_the_timed) {
  const course plan = parsed("--rounds", "50");
  rounds r(plan, 1);
  int all = 0;
  int checked = 0;
  for (; r.next(); ++all) checked += r.first() ? 1 : 0;
  EXPECT_EQ(checked, 1);
  EXPECT_EQ(all, 50 + plan.warm_up_of(1));
  const point p = r.result(7);
  EXPECT_EQ(p.size, 7U);
  EXPECT_EQ(p.rounds, 50);
  EXPECT_GT(p.seconds_per_round, 0);
  EXPECT_LT(p.seconds_per_round, 1);
}

TEST(contents, what_did_not_come_as_it_was_sent_is_seen) {
  for (const std::size_t size : {1U, 2U, 64U, 5000U}) {
    const buffers zeros(1, size);
    EXPECT_FALSE(holds(zeros.of(0), contents::there, size));
    const buffers sent(3, size);
    sent.fill_all(contents::there);
    EXPECT_TRUE(holds(sent.of(4), contents::there, size));
    EXPECT_FALSE(holds(sent.of(0), contents::back, size));
    EXPECT_FALSE(holds(sent.of(0).first(size - 1), contents::there, size));
    sent.of(0).back() ^= std::byte{1};
    EXPECT_FALSE(holds(sent.of(0), contents::there, size));
    EXPECT_TRUE(holds(sent.of(1), contents::there, size));
  }
}

}  // namespace
}  // namespace bench
