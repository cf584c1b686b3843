// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/flag_times.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace imbrex::resident::detail {
namespace {

nanoseconds ns(std::int64_t n) { return nanoseconds(n); }

TEST(flag_times, say_when_a_number_is_there) {
  flag_times flag;
  EXPECT_EQ(flag.of(1), ns(0)) << "it was before the run";
  flag.write(1, ns(100), ns(10));
  flag.write(2, ns(150), ns(20));
  EXPECT_EQ(flag.of(0), ns(100));
  EXPECT_EQ(flag.of(1), ns(100));
  EXPECT_EQ(flag.of(2), ns(150));
  flag.write(3, ns(200), ns(120));
  EXPECT_EQ(flag.of(1), ns(0)) << "nobody asks for so early a time";
  EXPECT_EQ(flag.of(2), ns(150));
  flag.write(4, ns(160), ns(120));  // over another path
  EXPECT_EQ(flag.of(3), ns(160));
  EXPECT_EQ(flag.of(2), ns(150));
}

TEST(flag_times, know_the_later_of_two_numbers_that_wrap) {
  for (const std::uint32_t first : {0xfffffffeU, 0x7ffffffeU}) {
    flag_times flag;
    for (std::uint32_t n = 0; n < 4; ++n) flag.write(first + n, ns(100 + n), ns(0));
    for (std::uint32_t n = 0; n < 4; ++n) EXPECT_EQ(flag.of(first + n), ns(100 + n));
    flag.write(first + 4, ns(200), ns(102));
    EXPECT_EQ(flag.of(first + 2), ns(0));
    EXPECT_EQ(flag.of(first + 3), ns(103));
  }
}

TEST(flag_times, stay_few_though_nobody_waits) {
  flag_times flag;
  for (std::uint32_t n = 0; n < 1'000'000; ++n) {
    flag.write(n + 0x7fff0000U, ns(10 * n + 95), ns(10 * n));
    ASSERT_LE(flag.size(), 11U);
  }
}

}  // namespace
}  // namespace imbrex::resident::detail
