// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/quantity.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace imbrex {
namespace {

using namespace std::chrono_literals;

TEST(quantity, durations_are_read_with_their_unit) {
  EXPECT_EQ(parse_duration("200us"), 200us);
  EXPECT_EQ(parse_duration("1.5ms"), 1500us);
  EXPECT_EQ(parse_duration("7ns"), 7ns);
  EXPECT_EQ(parse_duration("2s"), 2s);
  EXPECT_EQ(parse_duration("10min"), 600s);
  EXPECT_EQ(parse_duration("1.5h"), 5400s);
  EXPECT_EQ(parse_duration("0us"), 0ns);
  EXPECT_EQ(parse_duration("0.0006us"), 1ns);
}

TEST(quantity, rates_are_read_in_bytes_a_second) {
  EXPECT_EQ(parse_rate("1GB/s"), 1'000'000'000U);
  EXPECT_EQ(parse_rate("0.5MB/s"), 500'000U);
  EXPECT_EQ(parse_rate("3kB/s"), 3'000U);
  EXPECT_EQ(parse_rate("17B/s"), 17U);
  EXPECT_EQ(parse_rate("1Gbit/s"), 125'000'000U);
  EXPECT_EQ(parse_rate("100Mbit/s"), 12'500'000U);
  EXPECT_EQ(parse_rate("8kbit/s"), 1'000U);
}

TEST(quantity, sizes_are_read_in_bytes) {
  EXPECT_EQ(parse_size("0B"), 0U);
  EXPECT_EQ(parse_size("64kB"), 64'000U);
  EXPECT_EQ(parse_size("1.5MB"), 1'500'000U);
  EXPECT_EQ(parse_size("2GB"), 2'000'000'000U);
}

TEST(quantity, anything_else_is_none) {
  for (const char* text : {"", "64", "kB", "-1kB", "1KB", "1kiB", "1 kB", "1kB/s", "99999999999GB"})
    EXPECT_FALSE(parse_size(text)) << text;
  for (const char* text : {"", "200", "us", "-1us", "+1us", " 1us", "1 us", "1us ", "1e3us", "0x1us", "infs",
                           "nans", ".5us", "1m", "1US", "1,5us", "99999999999s"})
    EXPECT_FALSE(parse_duration(text)) << text;
  for (const char* text : {"", "1", "1GB", "1Gb/s", "1gB/s", "1bit/s", "1GiB/s", "-1MB/s", "99999999999GB/s"})
    EXPECT_FALSE(parse_rate(text)) << text;
}

TEST(quantity, text_can_be_read_back) {
  EXPECT_EQ(duration_text(200us), "200us");
  EXPECT_EQ(duration_text(1500us), "1500us");
  EXPECT_EQ(duration_text(0ns), "0ns");
  EXPECT_EQ(duration_text(3s), "3s");
  EXPECT_EQ(duration_text(-5ns), "-5ns");
  EXPECT_EQ(rate_text(125'000'000), "125MB/s");
  EXPECT_EQ(rate_text(2'000'000'000), "2GB/s");
  EXPECT_EQ(rate_text(17), "17B/s");
}

}  // namespace
}  // namespace imbrex
