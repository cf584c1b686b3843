// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace imbrex::tools {

/// A file of a new project of a kind. In its text `@NAME@` stands for the project's name, `@VERSION@` for the
/// required version of Imbrex.
struct project_file {
  std::string_view kind;
  std::string_view name;
  std::string_view text;
};

/// The files of all kinds; those of a kind stand together.
std::span<const project_file> project_files();

}  // namespace imbrex::tools
