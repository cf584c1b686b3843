// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace imbrex::tools {

/// The names of all shared libraries that a program needs, without folders: those that it names, those that
/// these name, and so on. The system's loader lists them, as it would load them now; nothing runs. Empty if
/// it cannot.
std::vector<std::string> needed_libraries(const std::string& loader, const std::string& program);

}  // namespace imbrex::tools
