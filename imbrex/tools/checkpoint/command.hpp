// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>

#include <imbrex/tools/command/command_list.hpp>

namespace imbrex::tools {

/// Settings of the subcommands of `imbrex checkpoint`.
struct checkpoint_settings {
  std::string path;
  std::string other{};        ///< second checkpoint of `diff`
  std::string output{};       ///< file of `export`
  bool with_classes = false;  ///< `show` prints the schemas
};

/// The subcommands of `imbrex checkpoint`.
command_list checkpoint_commands();

}  // namespace imbrex::tools
