// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/tools/tune/command.hpp>

namespace imbrex::tune {

/// Tunes a program: runs it, writes the file and prints the report. Throws `usage_error` for what cannot be
/// varied or run, `error` if the program fails as it is or the file cannot be written, `tools::interrupted`.
/// Returns the exit status.
int tune(const settings& asked);

}  // namespace imbrex::tune
