// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/tools/tune/command.hpp>

namespace imbrex::tune {

/// Tunes a program: runs it, writes the file and prints the report. Returns the exit status. Throws
/// `usage_error` for options that cannot be varied, and for programs that cannot be run. Throws `error` if
/// the unchanged program fails or the file cannot be written, and `tools::interrupted`.
int tune(const settings& request);

}  // namespace imbrex::tune
