// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::tune {

/// Throws `usage_error`, before hours of trials, if `write_output` could not write this file. Also refuses an
/// existing file that is no options file: it might be the program, or its input.
void check_output(const std::string& file);

/// Replaces the file as `replace_file` does. Throws `error` if that fails.
void write_output(const std::string& file, const std::string& text);

}  // namespace imbrex::tune
