// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/rank/rank_objects.hpp>

/// Begins the definition of function PMPI_name, with MPI_name as a weak alias, so that a tool can replace it:
/// IMBREX_MPI_DEFINE(int, Type_size, (MPI_Datatype datatype, int* size)) { ... }
#define IMBREX_MPI_DEFINE(result, name, parameters)                                        \
  extern "C" decltype(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name))); \
  extern "C" result PMPI_##name parameters
#define IMBREX_MPIX_DEFINE(result, name, parameters)                                          \
  extern "C" decltype(PMPIX_##name) MPIX_##name __attribute__((weak, alias("PMPIX_" #name))); \
  extern "C" result PMPIX_##name parameters
#define IMBREX_AMPI_DEFINE(result, name, parameters)                                          \
  extern "C" decltype(PAMPI_##name) AMPI_##name __attribute__((weak, alias("PAMPI_" #name))); \
  extern "C" result PAMPI_##name parameters

namespace imbrex::mpi {

/// Like `run_call`, for a function that needs neither a communicator nor MPI_Init: errors go to the handler
/// of MPI_COMM_WORLD.
template <typename Body>
int call(const char* function, Body&& body) {
  rank_objects& own = objects();
  return run_call(own, function, own.world, body);
}

}  // namespace imbrex::mpi
