// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/command.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using imbrex::testing::error_of;

using namespace std::chrono_literals;
using namespace imbrex::tune;
using words = std::vector<std::string>;

settings parse(const words& line) { return std::get<settings>(parse_command(line)); }

std::string complaint(const words& line) {
  return error_of<imbrex::usage_error>([&] { parse_command(line); });
}

TEST(tune_command, leaves_the_program_its_arguments) {
  for (const words& line : {words{"--json", "./app", "--seconds", "--", "--json"},
                            words{"--json", "--", "./app", "--seconds", "--", "--json"}}) {
    const settings request = parse(line);
    EXPECT_EQ(request.program, "./app");
    EXPECT_EQ(request.program_arguments, (arguments{"--seconds", "--", "--json"}));
    EXPECT_TRUE(request.json);
  }
}

TEST(tune_command, has_defaults) {
  const settings request = parse({"app"});
  EXPECT_EQ(request.processes, 1);
  EXPECT_EQ(request.budget, 60s);
  EXPECT_EQ(request.pairs, 3);
  EXPECT_EQ(request.output, "tuned.options");
  EXPECT_EQ(request.phase, "");
  EXPECT_TRUE(request.vary.empty() && request.among.empty() && request.brief.empty() && !request.json);
}

TEST(tune_command, takes_its_options) {
  const settings request = parse({"-n", "4", "--processes=1,2", "--seconds", "2.5", "--repeat=5", "--phase",
                                  "steps", "--short", "--iters 5 --name 'a b'", "--output=x", "app"});
  EXPECT_EQ(request.processes, 4);
  EXPECT_EQ(request.among, (std::vector<int>{1, 2}));
  EXPECT_EQ(request.budget, 2500ms);
  EXPECT_EQ(request.pairs, 5);
  EXPECT_EQ(request.phase, "steps");
  EXPECT_EQ(request.brief, (arguments{"--iters", "5", "--name", "a b"}));
  EXPECT_EQ(request.output, "x");
}

TEST(tune_command, knows_what_to_vary) {
  const settings request = parse({"--vary", "--odf 1,2,4", "--vary=--fast", "--vary", "--grid 8,8 4,16",
                                  "--vary", "--name 'a b'", "app"});
  ASSERT_EQ(request.vary.size(), 4U);
  EXPECT_EQ(request.vary[0].option, "--odf");
  EXPECT_EQ(request.vary[0].values, (words{"1", "2", "4"}));
  EXPECT_EQ(request.vary[1].values, words{});
  EXPECT_EQ(request.vary[2].values, (words{"8,8", "4,16"}));
  EXPECT_EQ(request.vary[3].values, (words{"a b"}));
}

TEST(tune_command, reads_the_options_files_of_the_program) {
  const imbrex::test::temporary_file file("-n 3\n--odf 4\n");
  EXPECT_EQ(parse({"app", "--options", file.name()}).program_arguments,
            (arguments{"--options", file.name()}));
  const settings request = with_files_read(parse({"app", "--options", file.name(), "in"}));
  EXPECT_EQ(request.program_arguments, (arguments{"--odf", "4", "in"}));
  EXPECT_EQ(request.processes, 3);
  EXPECT_TRUE(request.processes_by_file);
  const settings overruled = with_files_read(parse({"-n", "2", "app", "--options", file.name()}));
  EXPECT_EQ(overruled.processes, 2);
  EXPECT_FALSE(overruled.processes_by_file);
  EXPECT_EQ(complaint({"app", "--options", "/no/such/file"}), "");  // here --options may name no file
  EXPECT_THROW(with_files_read(parse({"app", "--options", "/no/such/file"})), imbrex::usage_error);
  EXPECT_EQ(with_files_read(parse({"app", "--", "--options", file.name()})).program_arguments,
            (arguments{"--", "--options", file.name()}));
}

TEST(tune_command, says_what_is_wrong_and_what_to_write) {
  const std::vector<std::pair<words, const char*>> wrong{
      {{}, "no program to tune"},
      {{"--json"}, "no program to tune"},
      {{"--"}, "no program to tune"},
      {{""}, "no program to tune"},
      {{"--secnds", "3", "app"}, "did you mean --seconds?"},
      {{"--verbose", "app"}, "unknown option --verbose"},
      {{"--seconds"}, "--seconds needs a value"},
      {{"--seconds", "0", "app"}, "--seconds 0: the time must be"},
      {{"--seconds", "soon", "app"}, "--seconds soon"},
      {{"--repeat", "2", "app"}, "--repeat 2: the value must be a whole number from 3 to 100"},
      {{"-n", "0", "app"}, "-n 0"},
      {{"--processes", "1,x", "app"}, "--processes x"},
      {{"--vary", "odf 1,2", "app"}, "--vary odf 1,2: the value must begin with an option"},
      {{"--vary", "--odf=1,2", "app"}, "write the option, a blank"},
      {{"--vary", "--odf 1,,2", "app"}, "write the option, a blank"},
      {{"--vary", "--odf '1", "app"}, "a quote is not closed"},
      {{"--vary", "", "app"}, "must begin with an option"},
      {{"--vary", "-- 1,2", "app"}, "must begin with an option"},
      {{"--short", "--", "app"}, "must begin with an option"},
      {{"--vary", "-n 1,2", "app"}, "varied by --processes"},
      {{"--vary", "--options a", "app"}, "options files are read before"},
      {{"--vary", "--trace a,b", "app"}, "measured by their traces"},
      {{"--vary", "--trace-full wait", "app"}, "measured by their traces"},
      {{"--vary", "--machine threads,simulated", "app"}, "times of different machines cannot be compared"},
      {{"--vary", "--odf 1", "--vary", "--odf 2", "app"}, "--vary --odf 2: --vary has named this option"},
      {{"--short", "5", "app"}, "must begin with an option"},
      {{"--short", "--iters 5 --pes=2", "app"}, "--pes must be in trials as it is"},
      {{"--short", "--bind core", "app"}, "--bind must be in trials as it is"},
      {{"bin/imbrex", "run", "-n", "2", "app"}, "write imbrex tune -n N"},
  };
  for (const auto& [line, expected] : wrong)
    EXPECT_NE(complaint(line).find(expected), std::string::npos) << expected << ", got: " << complaint(line);
}

TEST(tune_command, gives_help) {
  for (const char* option : {"--help", "-h"})
    EXPECT_NE(std::get<std::string>(parse_command(words{option})).find("--vary"), std::string::npos);
}

}  // namespace
