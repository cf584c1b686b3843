// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <imbrex/tools/command/command_list.hpp>

namespace imbrex::tools {

/// What `imbrex trace report` is asked for.
struct report_settings {
  std::vector<std::string> files;
  enum class form : std::uint8_t { page, text, json };
  form as = form::page;
  std::string output;   ///< of a page; empty: beside the first file
  std::string phase{};  ///< what the numbers are of; empty: of all of the run
  // The part of the runs of which a page tells everything, ns since their start.
  std::uint64_t from = 0;
  std::uint64_t to = ~std::uint64_t{0};
};

/// What `imbrex trace convert` is asked for.
struct conversion_settings {
  std::string file;
  bool to_otf2 = false;  ///< else to Perfetto's format
  std::string output;
};

/// Reads what stands behind these commands, or gives the text to print for --help. Throws `usage_error`.
std::variant<report_settings, std::string> parse_report(std::span<const std::string> words);
std::variant<conversion_settings, std::string> parse_conversion(std::span<const std::string> words);

/// Does it; the exit status. Throws `usage_error` for a file that is no trace, and `error`.
int print_report(const report_settings& asked);
int convert_trace(const conversion_settings& asked);

/// What `imbrex trace` can do.
command_list trace_commands();

}  // namespace imbrex::tools
