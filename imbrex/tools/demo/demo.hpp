// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace imbrex::tools {

/// Settings of `imbrex demo`.
struct demo_settings {
  std::string output = "demo-report.html";  ///< file of the page
  std::vector<std::string> options;         ///< further options of Jacobi3D behind its link
};

/// Parses the words after `imbrex demo`, or returns the text to print for --help. Throws `usage_error`.
std::variant<demo_settings, std::string> parse_demo(std::span<const std::string> words);

/// Runs Jacobi3D behind a modelled link without and with overlap, and on GPUs of a model, and makes a page
/// that compares two of these runs. Throws `error` if the program is not there or fails.
int show_demo(const demo_settings& request);

/// The program `jacobi3d` of the command in `folder`: beside it in a build, in `installed` of its prefix.
/// Throws `error` if it is in neither.
std::filesystem::path demo_program(const std::filesystem::path& folder, std::string_view installed);

/// One sentence about the gain: `lines` are Jacobi3D's lines of JSON, the first without overlap.
std::string gain_text(const std::string& lines);

}  // namespace imbrex::tools
