// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// A program that the system's loader has started, before its own constructors run.
struct program_start {
  int (*main)(int, char**, char**) = nullptr;
  int argc = 0;
  char** argv = nullptr;
  char** environment = nullptr;

  /// Runs the original program, not a copy: its constructors, then main. At most once in a process. The
  /// program's destructors and exit functions run at the end of the process.
  int call_original() const;
};

/// Runs the program of this process, which has just started, and returns its status. A shared library that
/// links start.cpp defines this function. Programs linked with that library then enter it instead of their
/// main. The program's destructors run only if `call_original` was called.
int run_program(const program_start& program);

}  // namespace imbrex::mpi
