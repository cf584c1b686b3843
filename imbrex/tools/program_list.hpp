// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <imbrex/tools/job_environment.hpp>

namespace imbrex::tools {

/// One of several programs on a command line: "-n 2 -x A=1 ./b 64".
struct listed_program {
  std::optional<std::string> number;  ///< `-n`
  environment_variables environment;  ///< `-x` and `-env`
  std::vector<std::string> command;
};

/// Cuts the words of a program and its arguments at the first word ":", and returns the programs behind it.
/// Throws usage_error if a program is missing before or behind such a word, or for another option of a
/// program than its own. `command`: the command's name, such as "imbrex run".
std::vector<listed_program> cut_at_colons(std::vector<std::string>& words, const std::string& command);

}  // namespace imbrex::tools
