// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <imbrex/tools/command/command_list.hpp>

namespace imbrex::tools {

/// Settings of `imbrex trace report`.
struct report_settings {
  std::vector<std::string> files;
  enum class form : std::uint8_t { page, text, json };
  form as = form::page;
  std::string output;   ///< file of the page; empty: next to the first trace
  std::string phase{};  ///< phase to report on; empty: the whole run
  // Interval of the detailed part of a page, in ns since the start.
  std::uint64_t from = 0;
  std::uint64_t to = ~std::uint64_t{0};
};

/// Settings of `imbrex trace convert`.
struct conversion_settings {
  std::string file;
  bool to_otf2 = false;  ///< false: Perfetto's format
  std::string output;
};

/// Parses the words after the command, or returns the text to print for --help. Throws `usage_error`.
std::variant<report_settings, std::string> parse_report(std::span<const std::string> words);
std::variant<conversion_settings, std::string> parse_conversion(std::span<const std::string> words);

/// Runs the command and returns the exit status. Throws `usage_error` for a file that is no trace, and
/// `error`.
int print_report(const report_settings& request);
int convert_trace(const conversion_settings& request);

/// The subcommands of `imbrex trace`.
command_list trace_commands();

}  // namespace imbrex::tools
