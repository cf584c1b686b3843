// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace imbrex::tools {

/// What `imbrex trace` is asked for.
struct trace_settings {
  enum class action : std::uint8_t { report, convert };
  action what = action::report;
  std::vector<std::string> files;
  enum class form : std::uint8_t { page, text, json };
  form as = form::page;
  bool to_otf2 = false;  ///< what a conversion is to; else Perfetto's format
  std::string output;    ///< of a page or a conversion; empty: a page beside the first file
  // The part of the runs of which a page tells everything, ns since their start.
  std::uint64_t from = 0;
  std::uint64_t to = ~std::uint64_t{0};
};

/// Reads what stands behind `imbrex trace`, or gives the text to print for --help. Throws `usage_error`.
std::variant<trace_settings, std::string> parse_trace(std::span<const std::string> arguments);

/// Does it; the exit status. Throws `usage_error` for a file that is no trace, and `error`.
int run_trace(const trace_settings& asked);

}  // namespace imbrex::tools
