// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/command.hpp>

#include <gtest/gtest.h>

#include <array>

#include <imbrex/base/error.hpp>

namespace {

using imbrex::command;
using words = std::vector<std::string>;

/// A command with one option of each kind.
struct test_options {
  bool wet = false;
  std::optional<std::string> tile;
  words slopes;
  words rest;

  command roof() {
    command result("roof", "[OPTIONS]\n--wet PROGRAM", "Lays a roof.");
    result.flag("--wet", wet, "let it rain")
        .option("--tile", "KIND", tile, "what it is laid of")
        .option("-s", "N", [this](const std::string& value) { slopes.push_back(value); }, "a slope");
    return result;
  }
};

std::string complaint(const command& known, const words& line) {
  try {
    return known.read(line) ? "help" : "accepted";
  } catch (const imbrex::usage_error& e) {
    return e.what();
  }
}

TEST(command, takes_values_that_follow_or_are_attached) {
  test_options found;
  EXPECT_FALSE(
      found.roof().read(words{"--tile", "tegula", "-s", "1", "--wet", "-s2", "-s=3", "--tile=--wet"}));
  EXPECT_TRUE(found.wet);
  EXPECT_EQ(found.tile, "--wet");
  EXPECT_EQ(found.slopes, (words{"1", "2", "3"}));
  test_options none;
  EXPECT_FALSE(none.roof().read({}));
  EXPECT_TRUE(!none.wet && !none.tile && none.slopes.empty());
}

TEST(command, takes_two_words_for_an_option) {
  test_options found;
  std::string name, value;
  command roof = found.roof();
  roof.option(
      "-pair", "NAME VALUE",
      [&](const std::string& first, const std::string& second) {
        name = first;
        value = second;
      },
      "two words");
  EXPECT_EQ(complaint(roof, {"-pair", "--wet", "-s", "--wet"}), "accepted");
  EXPECT_EQ(name, "--wet");
  EXPECT_EQ(value, "-s");
  EXPECT_TRUE(found.wet && found.slopes.empty());
  for (const words& line : {words{"-pair"}, words{"-pair", "a"}, words{"-pair=a", "b"}})
    EXPECT_EQ(complaint(roof, line), "-pair needs two words after it, NAME VALUE; see roof --help");
}

TEST(command, takes_words_between_options_and_all_behind_two_dashes) {
  test_options found;
  EXPECT_FALSE(found.roof().arguments(found.rest).read(words{"a", "--wet", "-", "", "--", "--tile", "--"}));
  EXPECT_TRUE(found.wet && !found.tile);
  EXPECT_EQ(found.rest, (words{"a", "-", "", "--tile", "--"}));
}

TEST(command, leaves_a_program_all_that_stands_behind_it) {
  for (const words& line : {words{"--wet", "app", "--tile", "x", "--", "--help"},
                            words{"--wet", "--", "app", "--tile", "x", "--", "--help"}}) {
    test_options found;
    EXPECT_FALSE(found.roof().program(found.rest).read(line));
    EXPECT_TRUE(found.wet && !found.tile);
    EXPECT_EQ(found.rest, (words{"app", "--tile", "x", "--", "--help"}));
  }
}

TEST(command, says_what_is_wrong_and_what_to_write) {
  test_options found;
  constexpr std::array<std::string_view, 1> names{"--pes"};
  const command roof = found.roof().others(names, "");
  EXPECT_EQ(complaint(roof, {"--wte"}), "unknown option --wte; did you mean --wet?");
  EXPECT_EQ(complaint(roof, {"--hlep"}), "unknown option --hlep; did you mean --help?");
  EXPECT_EQ(complaint(roof, {"--pse=3"}), "unknown option --pse; did you mean --pes?");
  EXPECT_EQ(complaint(roof, {"--chimney=2"}), "unknown option --chimney; see roof --help");
  EXPECT_EQ(complaint(roof, {"-wet"}), "unknown option -wet; did you mean --wet?");
  EXPECT_EQ(complaint(roof, {"--tile"}), "--tile needs a value; see roof --help");
  EXPECT_EQ(complaint(roof, {"--wet=no"}), "--wet=no: --wet takes no value; leave it out");
  EXPECT_EQ(complaint(roof, {"64"}), "unknown argument '64': roof takes options only; see roof --help");
  EXPECT_EQ(complaint(roof, {"--", "--wet"}),
            "unknown argument '--wet': roof takes options only; see roof --help");
  EXPECT_EQ(complaint(roof, {"--"}), "accepted");
  EXPECT_EQ(complaint(found.roof().program(found.rest), {"--chimney", "app"}),
            "unknown option --chimney: options before the program are those of roof; see roof --help");
}

TEST(command, makes_its_help) {
  test_options found;
  const std::string help =
      "roof [OPTIONS]\n"
      "roof --wet PROGRAM\n"
      "\n"
      "Lays a roof.\n"
      "\n"
      "  --wet                let it rain\n"
      "  --tile KIND          what it is laid of\n"
      "  -s N                 a slope\n"
      "  --help               print this\n"
      "\n"
      "It is dry inside.\n"
      "\n"
      "Options of the runtime:\n";
  const command roof = found.roof().note("It is dry inside.").others({}, "Options of the runtime:\n");
  EXPECT_EQ(roof.help(), help);
  for (const char* const ask : {"--help", "-h"}) {
    EXPECT_EQ(roof.read(words{"--wet", ask, "--chimney"}), help);
    EXPECT_TRUE(found.wet);
  }
}

}  // namespace
