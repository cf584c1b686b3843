// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/tools/tune/arguments.hpp>

namespace imbrex::tune {

/// An option of the program to vary, and its values. Without values the option is present or absent.
struct variation {
  std::string option;
  std::vector<std::string> values;
};

/// Settings of `imbrex tune`.
struct settings {
  std::string program;
  arguments program_arguments;     ///< the program's arguments
  int processes = 1;               ///< `-n`: processes of the job without variation
  bool has_process_count = false;  ///< `-n` is present
  bool processes_by_file = false;  ///< an options file sets `processes`
  std::vector<int> among;          ///< `--processes`: other numbers to try; empty: divisors of all PEs
  std::vector<variation> vary;     ///< `--vary`
  arguments brief;                 ///< `--short`: arguments that replace others in trials
  std::string phase;               ///< `--phase`: the phase to measure; empty: the run
  nanoseconds budget = std::chrono::minutes(1);  ///< `--seconds`
  int pairs = 3;                                 ///< `--repeat`
  std::string output = "tuned.options";          ///< `--output`
  bool json = false;                             ///< `--json`
};

/// Parses the words after `imbrex tune`, or returns the text to print for --help. Throws `usage_error`.
std::variant<settings, std::string> parse_command(std::span<const std::string> words);

/// The settings with the contents of the options files, for programs with the runtime's options. Only known
/// options can be varied, and the result may overwrite such a file. Throws as `read_options_file`.
settings with_files_read(settings request);

}  // namespace imbrex::tune
