// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/command/command_list.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>

namespace imbrex::tools {
namespace {

using words = std::vector<std::string>;

std::variant<int, std::string> parse_sum(std::span<const std::string> arguments) {
  int sum = 0;
  for (const std::string& word : arguments) {
    if (word == "--help") return "sum NUMBERS\n";
    sum += std::stoi(word);
  }
  return sum;
}

int twice(int sum) { return 2 * sum; }

command_list reckoner() {
  return {"reckon",
          "Reckons.",
          {{"sum", "add numbers", parse_and_run<parse_sum, twice>},
           {"count", "count words",
            [](std::span<const std::string> arguments) { return int(arguments.size()); }}}};
}

struct outcome {
  int status = 0;
  std::string text;
};

outcome run(const command_list& commands, const words& line) {
  ::testing::internal::CaptureStdout();
  try {
    const int status = commands.run(line);
    return {status, ::testing::internal::GetCapturedStdout()};
  } catch (const usage_error& e) {
    ::testing::internal::GetCapturedStdout();
    return {usage_error::exit_status, e.what()};
  }
}

TEST(command_list, gives_a_command_what_stands_behind_it) {
  EXPECT_EQ(run(reckoner(), {"sum", "3", "4"}).status, 14);
  EXPECT_EQ(run(reckoner(), {"count", "--help", "sum", "--"}).status, 3);
}

TEST(command_list, prints_help) {
  const std::string help =
      "reckon COMMAND [OPTIONS]\n"
      "\n"
      "Reckons.\n"
      "\n"
      "  sum                  add numbers\n"
      "  count                count words\n"
      "  help COMMAND         print the help of a command\n"
      "  --help               print this\n";
  for (const words& line : {words{"--help"}, words{"-h"}, words{"help"}, words{"--help", "sum"}}) {
    EXPECT_EQ(run(reckoner(), line).text, help);
    EXPECT_EQ(run(reckoner(), line).status, 0);
  }
  for (const words& line : {words{"help", "sum"}, words{"sum", "--help"}})
    EXPECT_EQ(run(reckoner(), line).text, "sum NUMBERS\n");
}

TEST(command_list, prints_the_version_if_it_has_one) {
  const command_list commands =
      reckoner().version("reckon 1.2", [] { return std::string(R"({"version":"1.2"})"); });
  EXPECT_EQ(run(commands, {"--version"}).text, "reckon 1.2\n");
  EXPECT_EQ(run(commands, {"--version", "--json"}).text, "{\"version\":\"1.2\"}\n");
  for (const words& wrong : {words{"--version", "--jsno"}, words{"--version", "--json", "sum"}})
    EXPECT_EQ(run(commands, wrong).text,
              "unknown argument '" + wrong.back() + "': reckon --version takes --json or nothing");
  EXPECT_NE(run(commands, {"--help"}).text.find("  --version            print the version; with --json"),
            std::string::npos);
  EXPECT_EQ(run(commands, {"--vresion"}).text, "unknown option --vresion; did you mean --version?");
  EXPECT_EQ(run(reckoner(), {"--version"}).status, usage_error::exit_status);
}

TEST(command_list, says_what_is_wrong_and_what_to_write) {
  const std::vector<std::pair<words, std::string>> wrong{
      {{}, "no command; there are: sum, count; see reckon --help"},
      {{""}, "no command; there are: sum, count; see reckon --help"},
      {{"smu"}, "there is no command 'smu'; did you mean sum?"},
      {{"multiply"}, "there is no command 'multiply'; there are: sum, count; see reckon --help"},
      {{"help", "cuont"}, "there is no command 'cuont'; did you mean count?"},
      {{"hlep", "sum"}, "there is no command 'hlep'; did you mean help?"},
      {{"help", "sum", "3"}, "unknown argument '3': reckon help takes one command; see reckon sum --help"},
      {{"--hlep"}, "unknown option --hlep; did you mean --help?"},
      {{"--fast", "sum"},
       "unknown option --fast: options stand behind the command, reckon COMMAND [OPTIONS]; see reckon "
       "--help"},
      {{"--", "sum"},
       "unknown option --: options stand behind the command, reckon COMMAND [OPTIONS]; see reckon --help"},
  };
  for (const auto& [line, expected] : wrong) {
    const outcome seen = run(reckoner(), line);
    EXPECT_EQ(seen.status, usage_error::exit_status);
    EXPECT_EQ(seen.text, expected);
  }
}

TEST(command_list, names_the_command_for_errors) {
  EXPECT_EQ(reckoner().name_of(words{"sum", "x"}), "reckon sum");
  EXPECT_EQ(reckoner().name_of(words{"smu"}), "reckon");
  EXPECT_EQ(reckoner().name_of({}), "reckon");
}

}  // namespace
}  // namespace imbrex::tools
