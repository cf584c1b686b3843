// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::tools {

/// Writes `text` to the standard output. Throws `error` if not all of it can be written.
void print(const std::string& text);

}  // namespace imbrex::tools
