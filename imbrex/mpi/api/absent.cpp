// SPDX-License-Identifier: Apache-2.0
// Functions that the headers declare but that are not supported: each reports its name. This file does not
// include mpi.h, so the unused parameters need not be repeated.
#include <imbrex/mpi/api/absent.hpp>

namespace {

constexpr const char* for_processes = "start all ranks together by `--ranks`";

}  // namespace

#define IMBREX_MPI_ABSENT(name, remedy)                                 \
  extern "C" __attribute__((visibility("default"))) int PMPI_##name() { \
    return imbrex::mpi::refuse_absent("MPI_" #name, remedy);            \
  }                                                                     \
  extern "C" __attribute__((visibility("default"), weak, alias("PMPI_" #name))) int MPI_##name();

// ---- Dynamic processes

IMBREX_MPI_ABSENT(Close_port, for_processes)
IMBREX_MPI_ABSENT(Comm_accept, for_processes)
IMBREX_MPI_ABSENT(Comm_connect, for_processes)
IMBREX_MPI_ABSENT(Comm_join, for_processes)
IMBREX_MPI_ABSENT(Comm_spawn, for_processes)
IMBREX_MPI_ABSENT(Comm_spawn_multiple, for_processes)
IMBREX_MPI_ABSENT(Lookup_name, for_processes)
IMBREX_MPI_ABSENT(Open_port, for_processes)
IMBREX_MPI_ABSENT(Publish_name, for_processes)
IMBREX_MPI_ABSENT(Unpublish_name, for_processes)
