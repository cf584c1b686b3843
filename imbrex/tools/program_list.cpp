// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/program_list.hpp>

#include <algorithm>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>

namespace imbrex::tools {

namespace {

/// Moves the words behind the first ":" to a list of their own; empty if there is no such word.
std::optional<std::vector<std::string>> cut(std::vector<std::string>& words) {
  const auto colon = std::ranges::find(words, ":");
  if (colon == words.end()) return std::nullopt;
  std::vector<std::string> rest(colon + 1, words.end());
  words.erase(colon, words.end());
  return rest;
}

listed_program read_program(const std::vector<std::string>& words, const std::string& name) {
  listed_program found;
  command line(name, "... : -n N PROGRAM [ARGUMENTS...]", "A further program.");
  for (const char* const number : {"-n", "-np", "--n", "--np"}) line.option(number, "N", found.number, "");
  line.option(
          "-x", "NAME[=VALUE]",
          [&](const std::string& text) { add_written_variable(found.environment, "-x", text); }, "")
      .option(
          "-env", "NAME VALUE",
          [&](const std::string& variable, const std::string& value) {
            add_written_variable(found.environment, "-env", variable, value);
          },
          "")
      .program(found.command);
  std::optional<std::string> help;
  try {
    help = line.read(words);
  } catch (const usage_error& e) {
    throw usage_error(
        std::string(e.what()) +
        "; behind ':' a program has the options -n, -x and -env, and the options of all programs "
        "stand before the first one");
  }
  if (help) throw usage_error("--help stands behind ':'; write " + name + " --help");
  return found;
}

}  // namespace

std::vector<listed_program> cut_at_colons(std::vector<std::string>& words, const std::string& command) {
  std::vector<listed_program> programs;
  auto rest = cut(words);
  if (rest && words.empty())
    throw usage_error("no program stands before the word ':'; write " + command +
                      " -n 2 ./a ARGUMENTS : -n 2 ./b ARGUMENTS");
  while (rest) {
    listed_program next = read_program(*rest, command);
    rest = cut(next.command);
    if (next.command.empty())
      throw usage_error(
          "no program follows a word ':'; write " + command +
          " -n 2 ./a ARGUMENTS : -n 2 ./b ARGUMENTS, or start a program that takes the word ':' "
          "itself by a script");
    programs.push_back(std::move(next));
  }
  return programs;
}

}  // namespace imbrex::tools
