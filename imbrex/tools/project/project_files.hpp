// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace imbrex::tools {

/// A file of a new project. In its text `@NAME@` stands for the project's name, `@VERSION@` for the required
/// version of Imbrex.
struct project_file {
  std::string_view name;
  std::string_view text;
};

inline constexpr std::size_t project_file_count = 6;
extern const std::array<project_file, project_file_count> project_files;

}  // namespace imbrex::tools
