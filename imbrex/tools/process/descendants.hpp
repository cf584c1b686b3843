// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

namespace imbrex::tools {

/// The running processes that have this one as their parent. Once it is a subreaper, these are in the end all
/// that its children have left behind.
std::vector<pid_t> running_children();

}  // namespace imbrex::tools
