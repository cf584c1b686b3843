// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdio>
#include <exception>

#include <imbrex/base/error.hpp>

namespace bench {

/// The main function of an MPI program: calls run(rank, ranks) between MPI_Init and MPI_Finalize, and returns
/// the exit status. All ranks get the same usage error, and rank 0 prints it. Any other error ends the job.
template <class Run>
int mpi_main(const char* name, int argc, char** argv, Run run) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    run(rank, ranks);
  } catch (const imbrex::usage_error& e) {
    if (rank == 0) std::fprintf(stderr, "%s: error: %s\n", name, e.what());
    status = imbrex::usage_error::exit_status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: error: rank %d: %s\n", name, rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}

}  // namespace bench
