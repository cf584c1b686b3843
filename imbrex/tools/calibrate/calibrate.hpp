// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace imbrex::calibrate {

/// Settings of `imbrex calibrate`.
struct settings {
  std::string base = "v100";                   ///< `--base`: model that has the numbers that are not measured
  std::string name = "here";                   ///< `--name`
  int rounds = 11;                             ///< `--rounds`: samples of each number
  std::vector<std::string> runtime_options{};  ///< words after "--"
};

/// Parses the words after `imbrex calibrate`, or returns the text to print for --help. Throws `usage_error`.
std::variant<settings, std::string> parse_command(std::span<const std::string> words);

/// Measures this machine, in a run of this process or of all processes of its job, and prints a machine file.
/// Returns the exit status.
int calibrate(const settings& request);

}  // namespace imbrex::calibrate
