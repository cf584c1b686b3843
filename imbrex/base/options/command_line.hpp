// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex {

/// An option as a command line gives it.
struct given_option {
  std::string_view name;   ///< "--pes"
  std::string_view value;  ///< empty for an option that takes none
};

/// As it stands on a command line: "--pes 4".
std::string text_of(const given_option& given);

/// What a command line and its help know of an option.
struct option_words {
  std::string_view name;   ///< "--pes"
  std::string_view value;  ///< what the help calls its value: "N"; empty: the option takes none
  std::string help;        ///< `help_of` wraps it
};

/// Takes the arguments in a file in its place. A command line handles it, no table has it.
const option_words& options_file_option();

/// The name, the value and the help of an option, as lines.
std::string help_of(const option_words& option);

/// The arguments of a program, out of which options are taken. argc and argv stay as they are until
/// `give_rest`.
class command_line {
 public:
  /// Puts the arguments of options files (`read_options_file`) in the place of their `--options FILE`. `help`
  /// is shown to who forgets a value. Throws usage_error.
  command_line(int argc, char** argv, std::function<std::string()> help);

  /// How many processes an options file wants (`-n N`); 0 if none says.
  int processes() const { return processes_; }
  /// Takes the options that `known` names, and calls `take` for each with its place in `known`. An option's
  /// value stands behind '=' or is the next argument. From an argument `--` on nothing is taken. Throws
  /// usage_error.
  void take(std::span<const option_words> known, const std::function<void(std::size_t, given_option)>& take);
  /// Throws usage_error if something was not taken, with the nearest of these names.
  void refuse_rest(std::span<const std::string_view> known) const;
  /// Leaves what was not taken in argc and argv, in order, argv[0], `--` and the terminating null included.
  /// Where options files were read, argv is then another array, which is kept until the program ends.
  void give_rest(int& argc, char**& argv) &&;

 private:
  void read_files(std::span<char* const> words);
  std::string_view value_of(std::string_view name, std::span<char* const> words, std::size_t& at) const;

  std::function<std::string()> help_;
  std::deque<std::string> added_;  ///< by options files
  std::vector<char*> words_;       ///< the terminating null is not among them
  int processes_ = 0;
};

/// The words in a variable of the environment (`command_words`), as the command line of a program with the
/// variable's name.
class environment_line {
 public:
  /// Without words if the variable is null or not set. Throws usage_error if a quote is not closed there.
  explicit environment_line(const char* variable);
  environment_line(const environment_line&) = delete;
  environment_line& operator=(const environment_line&) = delete;

  int count() const { return static_cast<int>(array_.size()) - 1; }
  char** words() { return array_.data(); }
  /// Calls `act`, and has a usage_error name the variable.
  void naming(const std::function<void()>& act) const;

 private:
  std::vector<std::string> words_;
  std::vector<char*> array_;  ///< with the terminating null
};

/// The place of a value among the words that an option takes. Throws usage_error, with the nearest word, if
/// it is none.
std::size_t parse_word(const given_option& given, std::span<const std::string_view> words);

/// Throws usage_error if an argument before `--` is nearly one of these names: one edit away, or two if that
/// name has six letters or more, and the same first letter (`--eps` and `--yes` are a program's own).
void refuse_near_misses(int argc, char** argv, std::span<const std::string_view> names);

}  // namespace imbrex
