// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace imbrex::tools {

/// The way in which a program loads MPI: our library, or MPICH's, which ours can replace.
enum class way_to_mpi : std::uint8_t {
  none,
  linked,           ///< the program itself is linked with it
  through_library,  ///< a shared library needed by the program is linked with it
  through_python,   ///< Python imports mpi4py
};

/// The way of a command: a program, found as a shell finds it, and its arguments. It queries the system's
/// loader for the libraries that the program needs. `none` if the command is no program.
way_to_mpi way_to_mpi_of(std::span<const std::string> command);

/// True for a Python interpreter, but not for a script that starts one. Its imports may load MPI.
bool is_python(const std::string& program);

/// Rejects scripts with an error text: a library preloaded for a script would go to its interpreter.
void check_preload(const std::string& program);

/// The sanitizer that a program is built with and that has a malloc of its own; empty if there is none.
std::string sanitizer_of(const std::string& program);

/// The folder with libraries that replace MPICH's; empty if there is none next to this command.
std::string mpich_folder();
/// The library with the heaps of migratable ranks; empty if there is none next to this command.
std::string heap_library_of_mpi();

}  // namespace imbrex::tools
