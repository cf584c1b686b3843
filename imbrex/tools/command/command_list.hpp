// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <imbrex/tools/command/print.hpp>

namespace imbrex::tools {

/// A command of a list.
struct listed_command {
  std::string_view name;
  std::string_view summary;  ///< a line of the list's help
  /// Does it, with the words that stand behind its name. Returns the exit status.
  int (*run)(std::span<const std::string> words);
};

/// Commands that begin with the same words, of which the next is the name of one.
class command_list {
 public:
  /// What errors and help call it ("imbrex"), and what it is for.
  command_list(std::string name, std::string text, std::vector<listed_command> commands);

  /// `--version` prints this.
  command_list& version(std::string text);

  /// Does what the words ask for: a command, or to print the help (`--help`, `help`, `help COMMAND`) or the
  /// version. Returns the exit status. Throws usage_error if they begin with no command, and as the command
  /// does.
  int run(std::span<const std::string> words) const;

  /// "imbrex run" if the words begin with that command: what the text of an error begins with.
  std::string name_of(std::span<const std::string> words) const;
  std::string help() const;

 private:
  const listed_command* find(std::string_view name) const;
  const listed_command& known(const std::string& name) const;
  int run_help(std::span<const std::string> words) const;
  [[noreturn]] void refuse_option(const std::string& word) const;

  std::string name_;
  std::string text_;
  std::string version_;
  std::vector<listed_command> commands_;
};

/// The `run` of a listed command: `Parse` reads the words and gives settings, or the help to print; `Run`
/// does what they say.
template <auto Parse, auto Run>
int parse_and_run(std::span<const std::string> words) {
  const auto asked = Parse(words);
  if (const auto* const help = std::get_if<std::string>(&asked)) {
    print(*help);
    return 0;
  }
  return Run(std::get<0>(asked));
}

}  // namespace imbrex::tools
