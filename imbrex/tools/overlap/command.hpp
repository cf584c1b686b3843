// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include <imbrex/tools/overlap/measured.hpp>
#include <imbrex/tools/overlap/survey.hpp>
#include <imbrex/tools/overlap/verify.hpp>

namespace imbrex::overlap {

/// Settings of `imbrex overlap`.
struct settings {
  std::string file;  ///< parameters, or a recorded run if `from_trace`
  bool from_trace = false;
  measured_part part{};  ///< part of the recorded run, or of each verifying run
  survey over{};
  bool json = false;
  std::optional<std::string> figures{};  ///< directory for the figures
  std::optional<std::string> save{};     ///< file for measured parameters
  std::optional<verification_settings> verify{};
};

/// Parses the words after `imbrex overlap`, or returns the text to print for --help. Throws `usage_error`.
std::variant<settings, std::string> parse_command(std::span<const std::string> arguments);

/// Prints the possible overlap of the programs in the file or of the recorded run, and draws the figures on
/// request. Or runs a program and compares predicted with measured times. Returns the exit status. Throws
/// `usage_error` for mistakes in the file, `error` if a file cannot be written or a run fails.
int print_overlap(const settings& request);

}  // namespace imbrex::overlap
