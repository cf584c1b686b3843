// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/balance/command.hpp>

namespace imbrex::tools::balance {
namespace {

using words = std::vector<std::string>;
using imbrex::testing::error_of;

TEST(balance_command, reads_its_options) {
  const auto usual = std::get<settings>(parse_command(words{"loads.imb"}));
  EXPECT_EQ(usual.file, "loads.imb");
  EXPECT_EQ(usual.strategies.front(), "none");
  EXPECT_EQ(usual.on.pes, 0);
  EXPECT_FALSE(usual.html);
  const auto all = std::get<settings>(parse_command(
      words{"--strategy", "none,bisect", "loads.imb", "--pes", "512", "--node-pes=6", "--html", "out.html"}));
  EXPECT_EQ(all.strategies, (words{"none", "bisect"}));
  EXPECT_EQ(all.on.pes, 512);
  EXPECT_EQ(all.on.node_pes, 6);
  EXPECT_EQ(all.html, "out.html");
}

TEST(balance_command, says_in_its_help_which_strategies_it_has) {
  const std::string help = std::get<std::string>(parse_command(words{"--help"}));
  for (const char* const part : {"segments", "bisect", "--html OUT", "of a program's own"})
    EXPECT_NE(help.find(part), std::string::npos) << help;
}

TEST(balance_command, refuses_what_it_cannot_do) {
  const test::temporary_file file("a file of another program");
  const std::vector<std::pair<words, std::string>> wrong{
      {{}, "no record; give the FILE"},
      {{"a", "b"}, "unknown argument 'b'"},
      {{"a", "--strategy", "none,mine"}, "there is no strategy 'mine'; there are: auto, none, segments"},
      {{"a", "--strategy", ""}, "there is no strategy ''"},
      {{"a", "--pes", "0"}, "--pes 0: the number of PEs must be a whole number from 1"},
      {{"a", "--node-pes", "six"}, "--node-pes six: the number of PEs"},
      {{"a", "--html", ""}, "--html: the file is empty"},
      {{file.name(), "--html", file.name()}, "this is the record; name another file"},
      {{"a", "--page", "b"}, "unknown option --page"},
  };
  for (const auto& [line, expected] : wrong) {
    const std::string refusal =
        error_of<usage_error>([&, &arguments = line] { return parse_command(arguments); });
    EXPECT_NE(refusal.find(expected), std::string::npos) << refusal;
  }
  EXPECT_NE(error_of<usage_error>([&] {
              return replay_record({.file = file.name(), .strategies = {"none"}});
            }).find("is no record of a balancer"),
            std::string::npos);
}

}  // namespace
}  // namespace imbrex::tools::balance
