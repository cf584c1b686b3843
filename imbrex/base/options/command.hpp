// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/options/command_line.hpp>

namespace imbrex {

/// The options and arguments of a command: reads its words and writes its help. For the command `imbrex` and
/// for programs of this tree; what it fills in must outlive it.
class command {
 public:
  /// What errors and help call it ("imbrex tune"), how it is written behind that ("[OPTIONS] PROGRAM", a line
  /// for each way), and what it does.
  command(std::string name, std::string_view usage, std::string text);

  /// An option without a value.
  command& flag(std::string_view name, bool& given, std::string help);
  /// An option whose value `take` gets, as often as it is given. `value` is what the help calls it: "N". An
  /// option of one letter may have it attached: "-n4".
  command& option(std::string_view name, std::string_view value, std::function<void(const std::string&)> take,
                  std::string help);
  /// The same; of several the last counts.
  command& option(std::string_view name, std::string_view value, std::optional<std::string>& text,
                  std::string help);
  /// Words that are no options, also behind "--". Without this and `program` there may be none.
  command& arguments(std::vector<std::string>& words);
  /// From the first word that is no option, or behind "--", all words are a program and its arguments.
  command& program(std::vector<std::string>& words);
  /// A paragraph behind the options in the help.
  command& note(std::string text);
  /// The command takes other options as well, which have been taken out of the words: their names and their
  /// help.
  command& others(std::span<const std::string_view> names, std::string help);

  /// Takes the words. Returns the help if it is asked for; then no word behind that is taken. Throws
  /// usage_error for an option or argument that it does not know, and for a value that is missing or not
  /// wanted.
  std::optional<std::string> read(std::span<const std::string> words) const;

  std::string help() const;

 private:
  struct known_option {
    option_words words;
    std::function<void(const std::string&)> take;
  };

  const known_option* find(std::string_view name) const;
  void take_option(std::span<const std::string> words, std::size_t& at) const;
  void take_arguments(std::span<const std::string> words) const;
  [[noreturn]] void refuse(std::string_view name) const;
  std::string see_help() const { return "; see " + name_ + " --help"; }

  std::string name_;
  std::string usage_;
  std::string text_;
  std::string note_;
  std::vector<known_option> options_;
  std::vector<std::string>* arguments_ = nullptr;
  std::vector<std::string>* program_ = nullptr;
  std::vector<std::string_view> other_names_;
  std::string other_help_;
};

}  // namespace imbrex
