// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace imbrex::tools {

/// Names and values, each name once.
using environment_variables = std::vector<std::pair<std::string, std::string>>;

/// Adds a variable, or replaces its value.
void set_variable(environment_variables& to, const std::string& name, const std::string& value);

/// The value that the programs of a job get for a variable: from `added`, or else from this process's
/// environment; empty if there is none.
std::string variable_of_programs(const environment_variables& added, const std::string& name);

/// Adds a variable as other launchers' options write it: "NAME=VALUE", or "NAME" for one that programs
/// inherit anyway. Throws usage_error, which begins with `option`, if there is no name.
void add_written_variable(environment_variables& to, const char* option, const std::string& text);
/// Adds a variable whose name and value are two words.
void add_written_variable(environment_variables& to, const char* option, const std::string& name,
                          const std::string& value);

}  // namespace imbrex::tools
