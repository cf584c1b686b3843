// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/tools/command/command_list.hpp>

namespace imbrex::tools {

/// What the command `imbrex` can do.
command_list commands();

}  // namespace imbrex::tools
