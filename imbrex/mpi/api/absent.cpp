// SPDX-License-Identifier: Apache-2.0
// Functions that the headers declare but that are not supported: each reports its name. This file does not
// include mpi.h, so the unused parameters need not be repeated.
#include <imbrex/mpi/api/absent.hpp>

namespace {

constexpr const char* for_processes = "start all ranks together by `--ranks`";
constexpr const char* for_files = "let each rank read and write by itself, as by MPI_File_write_at";

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

// ---- Files

IMBREX_MPI_ABSENT(File_read_at_all, for_files)
IMBREX_MPI_ABSENT(File_write_at_all, for_files)
IMBREX_MPI_ABSENT(File_read_all, for_files)
IMBREX_MPI_ABSENT(File_write_all, for_files)
IMBREX_MPI_ABSENT(File_read_ordered, for_files)
IMBREX_MPI_ABSENT(File_write_ordered, for_files)
IMBREX_MPI_ABSENT(File_read_at_all_begin, for_files)
IMBREX_MPI_ABSENT(File_read_at_all_end, for_files)
IMBREX_MPI_ABSENT(File_write_at_all_begin, for_files)
IMBREX_MPI_ABSENT(File_write_at_all_end, for_files)
IMBREX_MPI_ABSENT(File_read_all_begin, for_files)
IMBREX_MPI_ABSENT(File_read_all_end, for_files)
IMBREX_MPI_ABSENT(File_write_all_begin, for_files)
IMBREX_MPI_ABSENT(File_write_all_end, for_files)
IMBREX_MPI_ABSENT(File_read_ordered_begin, for_files)
IMBREX_MPI_ABSENT(File_read_ordered_end, for_files)
IMBREX_MPI_ABSENT(File_write_ordered_begin, for_files)
IMBREX_MPI_ABSENT(File_write_ordered_end, for_files)
IMBREX_MPI_ABSENT(File_iread_at_all, for_files)
IMBREX_MPI_ABSENT(File_iwrite_at_all, for_files)
IMBREX_MPI_ABSENT(File_iread_all, for_files)
IMBREX_MPI_ABSENT(File_iwrite_all, for_files)
