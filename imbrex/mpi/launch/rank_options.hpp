// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <imbrex/core/options/options.hpp>

namespace imbrex::mpi {

/// Options of a program's ranks, from IMBREX_OPTIONS: the command line belongs to the program.
struct rank_options {
  options run;
  int ranks = 0;                               ///< `--ranks N`, in all processes; 0: one for each process
  std::size_t stack = std::size_t{8} << 20U;   ///< `--rank-stack SIZE`: bytes
  bool prefix = false;                         ///< `--prefix`: "[rank] " before each line of standard output
  bool migratable = false;                     ///< `--migratable`: ranks may go to other processes
  bool check = false;                          ///< `--mpi-check`: report objects not freed at MPI_Finalize
  std::vector<std::string> private_libraries;  ///< `--privatise LIST`: each rank has its own
};

/// Reads IMBREX_OPTIONS. Throws usage_error for an unknown option or an impossible value.
rank_options read_rank_options();

}  // namespace imbrex::mpi
