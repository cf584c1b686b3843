// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::tools {

/// True if a program, found as a shell finds it, is linked with our library of MPI, or with MPICH's, in whose
/// place ours can be loaded. False for what is no program.
bool is_mpi_program(const std::string& program);

/// Refuses a script in words: a library that is loaded before it would go to its interpreter.
void check_preload(const std::string& program);

/// The folder whose libraries stand in for MPICH's; empty if there is none beside this command.
std::string mpich_folder();

}  // namespace imbrex::tools
