// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/command_words.hpp>

#include <gtest/gtest.h>

namespace {

using imbrex::command_words;
using words = std::vector<std::string>;

TEST(command_words, are_what_stands_between_blanks) {
  EXPECT_EQ(command_words(""), words{});
  EXPECT_EQ(command_words(" \t\r\n"), words{});
  EXPECT_EQ(command_words("--odf 4"), (words{"--odf", "4"}));
  EXPECT_EQ(command_words("  --odf=4\t-v \r"), (words{"--odf=4", "-v"}));
}

TEST(command_words, may_hold_anything_in_quotes) {
  EXPECT_EQ(command_words(R"(--name "a b" 'c "d"' e"'"'"'f)"), (words{"--name", "a b", "c \"d\"", "e'\"f"}));
  EXPECT_EQ(command_words("--empty ''"), (words{"--empty", ""}));
}

TEST(command_words, end_at_a_comment) {
  EXPECT_EQ(command_words("# --odf 4"), words{});
  EXPECT_EQ(command_words("--odf 4 # why"), (words{"--odf", "4"}));
  EXPECT_EQ(command_words("a#b '# c'"), (words{"a#b", "# c"}));
}

TEST(command_words, may_be_lists) {
  using imbrex::listed_values;
  EXPECT_EQ(listed_values("4"), words{"4"});
  EXPECT_EQ(listed_values("1,2, 4"), (words{"1", "2", " 4"}));
  EXPECT_EQ(listed_values(""), words{""});
  EXPECT_EQ(listed_values(",a,"), (words{"", "a", ""}));
}

TEST(command_words, are_none_if_a_quote_is_open) {
  EXPECT_EQ(command_words("--name 'a b"), std::nullopt);
  EXPECT_EQ(command_words("--name a\""), std::nullopt);
}

TEST(command_words, come_back_as_they_were_quoted) {
  const words all{"plain", "--grid=8,8", "", "a b", "it's", "\"", "#", "$HOME", "a\\b", "'\"'", "*"};
  EXPECT_EQ(command_words(imbrex::command_line_of(all)), all);
  EXPECT_EQ(imbrex::quoted_word("--grid=8,8"), "--grid=8,8");
  EXPECT_EQ(imbrex::quoted_word("it's"), R"('it'"'"'s')");
}

}  // namespace
