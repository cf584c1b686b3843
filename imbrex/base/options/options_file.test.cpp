// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/options_file.hpp>

#include <gtest/gtest.h>

#include <filesystem>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using imbrex::read_options_file;
using imbrex::test::temporary_file;
using imbrex::testing::error_of;
using words = std::vector<std::string>;

std::string complaint(const std::string& file) {
  return error_of<imbrex::usage_error>([&] { read_options_file(file); });
}

TEST(options_file, has_an_option_a_line) {
  const temporary_file file(
      "# tuned\n\n--odf 4\n  --completion=callback # why\n--init 'random: 3'\r\n--grid 8 8 -3\n--check");
  const auto read = read_options_file(file.name());
  EXPECT_EQ(read.words, (words{"--odf", "4", "--completion=callback", "--init", "random: 3", "--grid", "8",
                               "8", "-3", "--check"}));
  EXPECT_EQ(read.processes, 0);
  EXPECT_EQ(read_options_file(temporary_file("").name()).words, words{});
}

TEST(options_file, may_say_how_many_processes_the_job_has) {
  const temporary_file file("-n 3\n--pes 2\n-n 4\n");
  EXPECT_EQ(read_options_file(file.name()).processes, 4);
  EXPECT_EQ(read_options_file(file.name()).words, (words{"--pes", "2"}));
  const temporary_file joined("-n2\n-nodes 3\n");
  EXPECT_EQ(read_options_file(joined.name()).processes, 2);
  EXPECT_EQ(read_options_file(joined.name()).words, (words{"-nodes", "3"}));
  for (const char* wrong : {"-n", "-n 0", "-n x", "-n 65537", "-n 2 3", "-n0", "-n2 3", "-n=2"})
    EXPECT_NE(complaint(temporary_file(wrong).name()).find(":1: '" + std::string(wrong) + "': -n takes"),
              std::string::npos)
        << wrong;
}

TEST(options_file, names_the_line_that_is_wrong) {
  const temporary_file open_quote("--odf 4\n--name 'a\n");
  EXPECT_EQ(complaint(open_quote.name()), open_quote.name() + ":2: a quote is not closed: --name 'a");
  for (const char* wrong : {"odf 4", "4", "--", "-", "''", "--odf 4 -- in"})
    EXPECT_NE(complaint(temporary_file(wrong).name()).find(":1: '"), std::string::npos) << wrong;
  const temporary_file no_text(std::string("--odf 4\n--name a\0b\n", 18));
  EXPECT_NE(complaint(no_text.name()).find(":2: a byte is 0"), std::string::npos);
  for (const char* nested : {"--options a", "--options=a", "--odf 4 --options a"})
    EXPECT_NE(complaint(temporary_file(nested).name()).find(":1: --options in an options file"),
              std::string::npos)
        << nested;
}

TEST(options_file, may_begin_with_a_byte_order_mark) {
  EXPECT_EQ(read_options_file(temporary_file("\xEF\xBB\xBF--odf 4\n").name()).words, (words{"--odf", "4"}));
}

TEST(options_file, is_no_large_file) {
  EXPECT_NE(
      complaint(temporary_file(std::string(1'000'001, '\n')).name()).find("has more than 1000000 bytes"),
      std::string::npos);
  EXPECT_EQ(complaint(temporary_file(std::string(1'000'000, '\n')).name()), "");
}

TEST(options_file, says_which_file_cannot_be_read_and_why) {
  EXPECT_EQ(
      complaint("/there/is/no such file"),
      "--options /there/is/no such file cannot be read: No such file or directory; name a text file with "
      "one option a line");
  EXPECT_NE(complaint(std::filesystem::temp_directory_path()).find("Is a directory"), std::string::npos);
  EXPECT_NE(complaint("/dev/zero").find("cannot be read: it is no regular file"), std::string::npos);
}

}  // namespace
