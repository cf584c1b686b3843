// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include <imbrex/tools/overlap/survey.hpp>

namespace imbrex::overlap {

/// What `imbrex overlap` is asked for.
struct settings {
  std::string file;
  survey over;
  bool json = false;
  std::optional<std::string> figures;  ///< the directory for them
};

/// Reads what stands behind `imbrex overlap`, or gives the text to print for --help. Throws `usage_error`.
std::variant<settings, std::string> parse_command(std::span<const std::string> arguments);

/// Prints what the programs in the file could overlap, and draws the figures if asked to. Throws `usage_error`
/// for what the file has wrongly, `error` for what cannot be written.
void print_overlap(const settings& asked);

}  // namespace imbrex::overlap
