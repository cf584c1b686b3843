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

/// What `imbrex overlap` is asked for.
struct settings {
  std::string file;  ///< of parameters, or if `from_trace` of a recorded run
  bool from_trace = false;
  measured_part part{};  ///< of the recorded run, or of each run that verifies
  survey over{};
  bool json = false;
  std::optional<std::string> figures{};  ///< the directory for them
  std::optional<std::string> save{};     ///< the file for measured parameters
  std::optional<verification_settings> verify{};
};

/// Reads what stands behind `imbrex overlap`, or gives the text to print for --help. Throws `usage_error`.
std::variant<settings, std::string> parse_command(std::span<const std::string> arguments);

/// Prints what the programs in the file, or the recorded run, could overlap, and draws the figures if asked
/// to; or runs a program to compare what is predicted with what it achieves. Throws `usage_error` for what
/// the file has wrongly, `error` for what cannot be written, or run. Returns the exit status.
int print_overlap(const settings& asked);

}  // namespace imbrex::overlap
