// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/tools/tune/arguments.hpp>

namespace imbrex::tune {

/// An option of the program that is to be varied, and its values; without values it is given or not.
struct variation {
  std::string option;
  std::vector<std::string> values;
};

/// What `imbrex tune` is asked for.
struct settings {
  std::string program;
  arguments given;                 ///< the program's
  int processes = 1;               ///< `-n`: of the job as it is
  bool processes_said = false;     ///< by `-n`
  bool processes_by_file = false;  ///< an options file has said how many
  std::vector<int> among;          ///< `--processes`: other numbers to try; empty: what divides the PEs
  std::vector<variation> vary;     ///< `--vary`
  arguments brief;                 ///< `--short`: arguments that trials get in place of others
  std::string phase;               ///< `--phase`: what is measured; empty: the run
  nanoseconds budget = std::chrono::minutes(1);  ///< `--seconds`
  int pairs = 3;                                 ///< `--repeat`
  std::string output = "tuned.options";          ///< `--output`
  bool json = false;                             ///< `--json`
};

/// Reads what stands behind `imbrex tune`, or gives the text to print for --help. Throws `usage_error`.
std::variant<settings, std::string> parse_command(std::span<const std::string> words);

/// What is asked for of a program that takes the runtime's options: with what its options files hold, which
/// can be varied only if it is known, and may lie where the result is to be written. Throws as
/// `read_options_file`.
settings with_files_read(settings asked);

}  // namespace imbrex::tune
