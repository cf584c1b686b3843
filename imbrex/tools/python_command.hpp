// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace imbrex::tools {

/// Whether Python comes to MPI by these arguments: the module is of mpi4py, or the script, or the code behind
/// -c, names mpi4py. False if it imports Imbrex's own package as well, which is a runtime of its own.
bool imports_mpi4py(std::span<const std::string> arguments);

}  // namespace imbrex::tools
