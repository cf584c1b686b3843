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

TEST(Readable, NamesCannotMoveTheCursor) {
  EXPECT_EQ(printable("block::run"), "block::run");
  EXPECT_EQ(printable("Zürich €😀"), "Zürich €😀");
  EXPECT_EQ(printable("a\x1b[2J\n\x7f"), "a?[2J??");
  EXPECT_EQ(printable("\xc2\x9b"), "??");  // a control of two bytes
  EXPECT_EQ(printable("\xff\xc3"), "??");  // no beginning, no end
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80"),
            "?????????");  // too long, half a pair, too great
}

}  // namespace
}  // namespace imbrex::tools
