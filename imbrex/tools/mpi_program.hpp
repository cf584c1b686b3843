// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace imbrex::tools {

/// The way by which a program comes to our library of MPI, or to MPICH's, in whose place ours can be loaded.
enum class way_to_mpi : std::uint8_t {
  none,
  linked,           ///< the program itself is linked with it
  through_library,  ///< a shared library that it needs is
  through_python,   ///< Python imports mpi4py
};

/// The way of a command: a program, found as a shell finds it, and its arguments. The system's loader is
/// asked for the libraries that the program needs. `none` for a command that is no program.
way_to_mpi way_to_mpi_of(std::span<const std::string> command);

/// Whether it is an interpreter of Python, and no script that starts one. It may come to MPI by what it
/// imports.
bool is_python(const std::string& program);

/// Refuses a script in words: a library that is loaded before it would go to its interpreter.
void check_preload(const std::string& program);

/// The folder whose libraries stand in for MPICH's; empty if there is none beside this command.
std::string mpich_folder();

}  // namespace imbrex::tools
