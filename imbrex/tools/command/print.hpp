// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::tools {

/// Writes all of it to the standard output. Throws `error` if that cannot be.
void print(const std::string& text);

}  // namespace imbrex::tools
