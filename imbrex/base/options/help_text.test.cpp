// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/help_text.hpp>

#include <gtest/gtest.h>

namespace {

using imbrex::help_width;
using imbrex::wrapped;

TEST(help_text, is_wrapped_between_words) {
  const std::string word(help_width / 2, 'x');
  EXPECT_EQ(wrapped("a b"), "a b");
  EXPECT_EQ(wrapped(""), "");
  EXPECT_EQ(wrapped(word + " " + word), word + "\n" + word);
  EXPECT_EQ(wrapped(word + " " + word.substr(1)), word + " " + word.substr(1));
}

TEST(help_text, begins_at_a_column_and_goes_on_at_another) {
  const std::string word(help_width / 2, 'x');
  EXPECT_EQ(wrapped("a " + word, help_width / 2, 3), "a\n   " + word);
  EXPECT_EQ(wrapped("a " + word + " b " + word, 0, 3), "a " + word + " b\n   " + word);
}

TEST(help_text, keeps_ends_of_lines_and_words_that_are_too_long) {
  const std::string word(2 * help_width, 'x');
  EXPECT_EQ(wrapped("a\nb\n\nc", 5, 2), "a\n  b\n\n  c");
  EXPECT_EQ(wrapped("a " + word + " b", 0, 1), "a\n " + word + "\n b");
}

}  // namespace
