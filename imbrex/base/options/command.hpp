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
/// for programs of this tree; the variables that it fills must outlive it.
class command {
 public:
  /// `name`: name in errors and help ("imbrex tune"). `usage`: rest of the usage lines ("[OPTIONS] PROGRAM",
  /// one line for each form). `text`: purpose of the command.
  command(std::string name, std::string_view usage, std::string text);

  /// An option without a value.
  command& flag(std::string_view name, bool& setting, std::string help);
  /// An option whose value is passed to `take`, each time it is given. `value` is the value's name in the
  /// help: "N". An option of one letter may have its value attached: "-n4".
  command& option(std::string_view name, std::string_view value, std::function<void(const std::string&)> take,
                  std::string help);
  /// An option with a text as its value; the last one given counts.
  command& option(std::string_view name, std::string_view value, std::optional<std::string>& text,
                  std::string help);
  /// An option that two words follow: "-genv NAME VALUE".
  command& option(std::string_view name, std::string_view values,
                  std::function<void(const std::string& first, const std::string& second)> take,
                  std::string help);
  /// Words that are no options, also those after "--". Without this and `program` there may be none.
  command& arguments(std::vector<std::string>& words);
  /// A program and its arguments: all words from the first that is no option, or after "--".
  command& program(std::vector<std::string>& words);
  /// A paragraph after the options in the help.
  command& note(std::string text);
  /// Further options of the command, which have been removed from the words: their names and their help.
  command& others(std::span<const std::string_view> names, std::string help);

  /// Reads the words. Returns the help if it is requested; then later words are not read. Throws usage_error
  /// for an unknown option or argument, and for a missing or superfluous value.
  std::optional<std::string> read(std::span<const std::string> words) const;

  std::string help() const;

 private:
  struct known_option {
    option_words words;
    std::function<void(const std::string&)> take;
    std::function<void(const std::string&, const std::string&)> take_two;  ///< instead of `take`
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
