// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/readable.hpp>

#include <gtest/gtest.h>

namespace imbrex::tools {
namespace {

TEST(Readable, NumbersHaveUnits) {
  EXPECT_EQ(readable_time(0), "0 ns");
  EXPECT_EQ(readable_time(999), "999 ns");
  EXPECT_EQ(readable_time(999'960), "1 ms");
  EXPECT_EQ(readable_time(12'345'678), "12.35 ms");
  EXPECT_EQ(readable_time(5e12), "5000 s");
  EXPECT_EQ(readable_bytes(1'500), "1.5 kB");
  EXPECT_EQ(readable_count(7), "7");
  EXPECT_EQ(readable_count(123'456), "123 456");
  EXPECT_EQ(readable_count(1'000), "1 000");
  EXPECT_EQ(readable_part(0.125), "12.5 %");
}

}  // namespace
}  // namespace imbrex::tools
