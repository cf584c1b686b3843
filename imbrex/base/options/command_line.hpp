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

/// An option as given on a command line.
struct parsed_option {
  std::string_view name;   ///< "--pes"
  std::string_view value;  ///< empty for an option without a value
};

/// The option as written on a command line: "--pes 4".
std::string text_of(const parsed_option& input);

/// The words of an option, for a command line and its help.
struct option_words {
  std::string_view name;   ///< "--pes"
  std::string_view value;  ///< name of its value in the help: "N"; empty: the option takes none
  std::string help;        ///< `help_of` wraps it
};

/// The option that stands for the arguments in a file. A command line handles it; it is in no table.
const option_words& options_file_option();

/// The name, the value and the help of an option, as lines.
std::string help_of(const option_words& option);

/// The arguments of a program, from which options are removed. argc and argv do not change until `give_rest`.
class command_line {
 public:
  /// Replaces each `--options FILE` by the arguments in the file (`read_options_file`). `help` is shown if a
  /// value is missing. Throws usage_error.
  command_line(int argc, char** argv, std::function<std::string()> help);

  /// The number of processes in an options file (`-n N`); 0 if none has it.
  int processes() const { return processes_; }
  /// Removes the options that `known` names, and calls `take` for each with its index in `known`. An option's
  /// value follows '=' or is the next argument. Arguments from `--` on stay. Throws usage_error.
  void take(std::span<const option_words> known, const std::function<void(std::size_t, parsed_option)>& take);
  /// Throws usage_error if an argument is left; the text has the nearest of these names.
  void refuse_rest(std::span<const std::string_view> known) const;
  /// Leaves the remaining arguments in argc and argv, in order, with argv[0], `--` and the terminating null.
  /// If options files were read, argv is then another array, which is kept until the program ends.
  void give_rest(int& argc, char**& argv) &&;

 private:
  void read_files(std::span<char* const> words);
  std::string_view value_of(std::string_view name, std::span<char* const> words, std::size_t& at) const;

  std::function<std::string()> help_;
  std::deque<std::string> added_;  ///< arguments from options files
  std::vector<char*> words_;       ///< without the terminating null
  int processes_ = 0;
};

/// The words in a variable of the environment (`command_words`), as the command line of a program with the
/// variable's name.
class environment_line {
 public:
  /// Has no words if the variable is null or not set. Throws usage_error for an unclosed quote.
  explicit environment_line(const char* variable);
  environment_line(const environment_line&) = delete;
  environment_line& operator=(const environment_line&) = delete;

  int count() const { return static_cast<int>(array_.size()) - 1; }
  char** words() { return array_.data(); }
  /// Calls `act`, and adds the variable's name to a usage_error.
  void naming(const std::function<void()>& act) const;

 private:
  std::vector<std::string> words_;
  std::vector<char*> array_;  ///< with the terminating null
};

/// The index of a value among the words that an option takes. Throws usage_error, with the nearest word, if
/// it is not one of them.
std::size_t parse_word(const parsed_option& input, std::span<const std::string_view> words);

/// Throws usage_error if an argument before `--` resembles one of these names. Such an argument has the same
/// first letter, and is one edit away, or two if the name has six letters or more. `--eps` and `--yes` are a
/// program's own.
void refuse_near_misses(int argc, char** argv, std::span<const std::string_view> names);

}  // namespace imbrex
