// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/printable.hpp>

#include <gtest/gtest.h>

namespace {

using imbrex::is_printable;
using imbrex::printable;
using imbrex::printable_lines;

TEST(printable, leaves_text_as_it_is) {
  EXPECT_EQ(printable("block::run"), "block::run");
  EXPECT_EQ(printable("Zürich €😀"), "Zürich €😀");
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable_lines("two\nlines\tof text\n"), "two\nlines\tof text\n");
  EXPECT_TRUE(is_printable("two\nlines\tin Zürich\n"));
}

TEST(printable, escapes_what_would_move_the_cursor) {
  EXPECT_EQ(printable("a\x1b[2J\n\x7f"), "a\\x1b[2J\\x0a\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");  // a control of two bytes
  EXPECT_EQ(printable_lines("a\rb\n"), "a\\x0db\n");
  EXPECT_FALSE(is_printable("a\rb"));
}

TEST(printable, escapes_what_is_no_utf_8) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");                    // no start, no end
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // too large
  EXPECT_FALSE(is_printable("\xff"));
}

}  // namespace
