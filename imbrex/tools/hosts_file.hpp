// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::tools {

/// Checks a file of hosts as other launchers read it: a host begins each line, and `#` a comment. Throws
/// usage_error, which begins with `option`, if the file cannot be read or names another host than this one.
void check_hosts_file(const std::string& option, const std::string& file);

}  // namespace imbrex::tools
