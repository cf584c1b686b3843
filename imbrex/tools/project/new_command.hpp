// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace imbrex::tools {

/// What `imbrex new` is asked for.
struct project_settings {
  std::string name;
};

/// Reads what stands behind `imbrex new`, or gives the text to print for --help. Throws `usage_error`, also
/// for a name that no program, target and folder can have.
std::variant<project_settings, std::string> parse_new(std::span<const std::string> words);

/// Writes the project into a new folder of its name below the working directory, asking for that version of
/// Imbrex ("0.1.0"). Throws `usage_error` if there is something of that name, and `error`, having removed
/// what was written, if it cannot be written.
void make_project(const project_settings& asked, std::string_view version);

}  // namespace imbrex::tools
