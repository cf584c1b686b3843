// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/number.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace imbrex {
namespace {

TEST(number, is_the_whole_text) {
  EXPECT_EQ(parse_number<int>("-17"), -17);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number<double>("2.5e-3"), 2.5e-3);
  for (const char* text : {"", " 1", "1 ", "+1", "0x1", "1.5", "one", "99999999999"})
    EXPECT_FALSE(parse_number<int>(text)) << text;
  EXPECT_FALSE(parse_number<std::uint64_t>("-1"));
  EXPECT_FALSE(parse_number<std::uint64_t>("18446744073709551616"));
  EXPECT_FALSE(parse_number<double>("1e999"));
}

}  // namespace
}  // namespace imbrex
