// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace imbrex::tools {

/// True if these arguments make Python import mpi4py: the module is part of mpi4py, or the script or the code
/// of -c contains its name. False if the code also imports Imbrex's own package, which is a runtime of its
/// own.
bool imports_mpi4py(std::span<const std::string> arguments);

}  // namespace imbrex::tools
