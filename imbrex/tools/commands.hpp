// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/tools/command/command_list.hpp>

namespace imbrex::tools {

/// The commands of `imbrex`.
command_list commands();

}  // namespace imbrex::tools
