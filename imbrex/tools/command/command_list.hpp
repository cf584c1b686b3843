// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <imbrex/tools/command/print.hpp>

namespace imbrex::tools {

/// A named command.
struct listed_command {
  std::string_view name;
  std::string_view summary;  ///< one line of the list's help
  /// Runs the command with the words after its name. Returns the exit status.
  int (*run)(std::span<const std::string> words);
};

/// Commands with a common first word; the next word is the name of one.
class command_list {
 public:
  /// `name`: the name in errors and help ("imbrex"). `text`: its purpose.
  command_list(std::string name, std::string text, std::vector<listed_command> commands);

  /// Sets the text that `--version` prints, and the object that `--version --json` does.
  command_list& version(std::string text, std::string (*json)());

  /// Runs a command, or prints the help (`--help`, `help`, `help COMMAND`) or the version (`--version`).
  /// Returns the exit status. Throws usage_error if the words begin with no command, and the exceptions of
  /// the command.
  int run(std::span<const std::string> words) const;

  /// The beginning of error texts: "imbrex run" if the words begin with that command.
  std::string name_of(std::span<const std::string> words) const;
  std::string help() const;

 private:
  const listed_command* find(std::string_view name) const;
  const listed_command& known(const std::string& name) const;
  int run_help(std::span<const std::string> words) const;
  int run_version(std::span<const std::string> words) const;
  [[noreturn]] void refuse_option(const std::string& word) const;

  std::string name_;
  std::string text_;
  std::string version_;
  std::string (*json_of_version_)() = nullptr;
  std::vector<listed_command> commands_;
};

/// Implements `listed_command::run`. `Parse` reads the words and returns settings, or the help to print;
/// `Run` executes the settings.
template <auto Parse, auto Run>
int parse_and_run(std::span<const std::string> words) {
  const auto request = Parse(words);
  if (const auto* const help = std::get_if<std::string>(&request)) {
    print(*help);
    return 0;
  }
  return Run(std::get<0>(request));
}

}  // namespace imbrex::tools
