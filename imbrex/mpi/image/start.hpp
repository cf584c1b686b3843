// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// A program that the system's loader has started, before its own constructors have run.
struct program_start {
  int (*main)(int, char**, char**) = nullptr;
  int argc = 0;
  char** argv = nullptr;
  char** environment = nullptr;

  /// Runs the program itself, no copy of it: its constructors, then main. At most once a process. What the
  /// program leaves to the end of the process, as destructors, stays there.
  int call_original() const;
};

/// Runs the program of this process, which has just been started, and returns its status. Who links start.cpp
/// into a shared library defines this function: programs that are linked with that library then come here
/// instead of into their main. The program's destructors run only if it was called by `call_original`.
int run_program(const program_start& program);

}  // namespace imbrex::mpi
