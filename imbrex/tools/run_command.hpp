// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>

#include <imbrex/tools/info_command.hpp>
#include <imbrex/tools/job.hpp>
#include <imbrex/tools/overlap/command.hpp>
#include <imbrex/tools/trace/command/trace_command.hpp>
#include <imbrex/tools/tune/command.hpp>

namespace imbrex::tools {

/// What the command `imbrex` can be asked for; the text is to be printed, for --help.
using asked_for =
    std::variant<job_settings, info_settings, overlap::settings, trace_settings, tune::settings, std::string>;

/// Reads the command line of the command `imbrex`. Throws `usage_error`, whose text names the value and the
/// remedy, for what cannot be.
asked_for parse_command_line(int argc, const char* const* argv);

}  // namespace imbrex::tools
