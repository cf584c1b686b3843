// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/arguments.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/host/temporary_file.test.hpp>

namespace {

using namespace imbrex::tune;

TEST(tune_arguments, give_the_last_value_of_an_option) {
  const arguments words{"--odf", "1", "--odf=2", "--check", "--n", "-3", "--", "--odf", "4"};
  EXPECT_EQ(value_of(words, "--odf"), "2");
  EXPECT_EQ(value_of(words, "--n"), "-3");
  EXPECT_EQ(value_of(words, "--check"), std::nullopt);
  EXPECT_EQ(value_of(words, "--od"), std::nullopt);
  EXPECT_TRUE(has_option(words, "--check"));
  EXPECT_FALSE(has_option({"--", "--check"}, "--check"));
}

TEST(tune_arguments, lose_an_option_with_its_value) {
  const arguments words{"--odf", "1", "in", "--odf=2", "--odfs", "3", "--", "--odf", "4"};
  EXPECT_EQ(without_option(words, "--odf", true), (arguments{"in", "--odfs", "3", "--", "--odf", "4"}));
  EXPECT_EQ(without_option({"--fast", "in"}, "--fast", false), (arguments{"in"}));
  EXPECT_EQ(without_option({"in", "--odf"}, "--odf", true), (arguments{"in"}));
}

TEST(tune_arguments, take_a_negative_number_for_a_value_and_an_option_for_none) {
  for (const char* number : {"-3", "-.5", "-0.5"}) {
    const arguments words{"--shift", number, "--check"};
    EXPECT_EQ(value_of(words, "--shift"), number);
    EXPECT_EQ(without_option(words, "--shift", true), arguments{"--check"});
    EXPECT_EQ(with_replaced({"--shift", "1"}, words), words);
  }
  for (const char* option : {"--check", "-c", "-."}) {
    EXPECT_EQ(value_of({"--shift", option}, "--shift"), std::nullopt);
    EXPECT_EQ(without_option({"--shift", option}, "--shift", true), arguments{option});
  }
}

TEST(tune_arguments, get_more_options_before_the_dashes) {
  EXPECT_EQ(with_options({"a", "--", "b"}, {"--odf", "4"}), (arguments{"a", "--odf", "4", "--", "b"}));
  EXPECT_EQ(with_options({}, {"--odf", "4"}), (arguments{"--odf", "4"}));
}

TEST(tune_arguments, have_options_files_replaced_by_what_they_hold) {
  const imbrex::test::temporary_file one("-n 2\n--odf 4\n");
  const imbrex::test::temporary_file other("--check\n");
  const auto read = with_files_read(
      {"--odf", "1", "--options", one.name(), "in", "--options=" + other.name(), "--", "--options", "x"});
  EXPECT_EQ(read.words, (arguments{"--odf", "1", "--odf", "4", "in", "--check", "--", "--options", "x"}));
  EXPECT_EQ(read.processes, 2);
  EXPECT_EQ(with_files_read({"--options"}).words, arguments{"--options"});
}

TEST(tune_arguments, tell_an_interpreter_of_python_what_to_run) {
  EXPECT_EQ(words_of_program("/usr/bin/python3.11", {"-u", "-X", "dev", "prog.py", "--size", "3"}),
            (arguments{"-u", "-X", "dev", "prog.py"}));
  EXPECT_EQ(words_of_program("python", {"-m", "module", "prog.py"}), (arguments{"-m", "module"}));
  EXPECT_EQ(words_of_program("python", {"--version"}), arguments());
  EXPECT_EQ(words_of_program("./app", {"prog.py"}), arguments());
}

TEST(tune_arguments, have_some_replaced) {
  EXPECT_EQ(with_replaced({"--iters", "100", "--grid=8", "--check"}, {"--iters=5", "--quick", "--grid", "4"}),
            (arguments{"--check", "--iters=5", "--quick", "--grid", "4"}));
}

}  // namespace
