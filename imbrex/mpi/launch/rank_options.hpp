// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <imbrex/core/options/options.hpp>

namespace imbrex::mpi {

/// How the ranks of a program are run: by options in IMBREX_OPTIONS, since the command line is the program's.
struct rank_options {
  options run;
  int ranks = 0;                               ///< `--ranks N`, of all processes; 0: one for each process
  std::size_t stack = std::size_t{8} << 20U;   ///< `--rank-stack SIZE`: bytes
  bool prefix = false;                         ///< `--prefix`: "[rank] " before each line of standard output
  bool check = false;                          ///< `--mpi-check`: say at MPI_Finalize what was not freed
  std::vector<std::string> private_libraries;  ///< `--privatise LIST`: each rank has its own
};

/// Those in the environment. Throws usage_error for an impossible value, and for what is no option.
rank_options read_rank_options();

}  // namespace imbrex::mpi
