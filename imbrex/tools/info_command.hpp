// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>

#include <imbrex/core/options/options.hpp>

namespace imbrex::tools {

/// What `imbrex info` is asked for.
struct info_settings {
  bool json = false;
  bool paths = false;
  options how{};  ///< of the programs that it is to tell about
};

/// Reads what stands behind `imbrex info`, or gives the text to print for --help. Throws `usage_error`.
std::variant<info_settings, std::string> parse_info(std::span<const std::string> arguments);

/// Prints what a program with these options would find and choose; in a job of several processes, process 0
/// prints what all have found. Returns the exit status: 1, and a line on standard error, if some process has
/// not the devices that were asked for. Throws `error`.
int print_info(const info_settings& asked);

}  // namespace imbrex::tools
