// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::io::detail {

/// Throws imbrex::error with the reason of the last call of the system: "cannot open FILE: No such file or
/// directory".
[[noreturn]] void throw_system_error(const std::string& verb, const std::string& path);

}  // namespace imbrex::io::detail
