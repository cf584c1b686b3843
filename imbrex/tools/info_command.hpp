// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>

#include <imbrex/core/options/options.hpp>

namespace imbrex::tools {

/// Settings of `imbrex info`.
struct info_settings {
  bool json = false;
  bool paths = false;
  options how{};  ///< options of the programs that the command describes
};

/// Parses the words after `imbrex info`, or returns the text to print for --help. Throws `usage_error`.
std::variant<info_settings, std::string> parse_info(std::span<const std::string> arguments);

/// Prints the devices and paths that a program with these options would find and choose. In a job of several
/// processes, process 0 prints the findings of all. Returns the exit status: 1, with a line on standard
/// error, if some process lacks the requested devices. Throws `error`.
int print_info(const info_settings& request);

}  // namespace imbrex::tools
