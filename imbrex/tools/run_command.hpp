// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>

#include <imbrex/tools/info_command.hpp>
#include <imbrex/tools/job.hpp>
#include <imbrex/tools/trace/trace_command.hpp>

namespace imbrex::tools {

/// Reads the command line of the command `imbrex`: what `imbrex run`, `imbrex info` or `imbrex trace` shall do, or the text
/// to print for --help. Throws `usage_error`, whose text names the value and the remedy, for what cannot be.
std::variant<job_settings, info_settings, trace_settings, std::string> parse_command_line(
    int argc, const char* const* argv);

}  // namespace imbrex::tools
