// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace imbrex::tools {

/// Settings of `imbrex new`.
struct project_settings {
  std::string name;
  std::string kind = "chares";  ///< one of the kinds that `project_files` has
};

/// Parses the words after `imbrex new`, or returns the text to print for --help. Throws `usage_error`, also
/// for a name that is not valid for a program, a target and a folder, and for an unknown kind.
std::variant<project_settings, std::string> parse_new(std::span<const std::string> words);

/// Writes the project into a new folder of its name below the working directory. Its build requires this
/// version of Imbrex ("0.1.0"). Throws `usage_error` if the name exists already; `error` if a file cannot be
/// written, after removing the others.
void make_project(const project_settings& request, std::string_view version);

}  // namespace imbrex::tools
