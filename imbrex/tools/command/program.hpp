// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/tools/command/command_list.hpp>

namespace imbrex::tools {

/// The body of a program's main(): runs the command that its words name. Errors go to the standard error
/// output, after the command's name. Returns the exit status: the command's own, 2 after a `usage_error`, 128
/// and the signal's number after `interrupted`, 1 after other exceptions.
int run_program(const command_list& commands, int argc, char** argv);

}  // namespace imbrex::tools
