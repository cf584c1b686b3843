// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// Fails the run: a rank has called a function of MPI that is not there.
[[noreturn]] void call_absent(const char* function);

}  // namespace imbrex::mpi

/// Defines MPI_name and PMPI_name unless others do. What it takes and returns does not matter, as it never
/// returns.
#define IMBREX_ABSENT(name)                                            \
  extern "C" [[gnu::weak, gnu::visibility("default")]] void P##name(); \
  extern "C" void P##name() { imbrex::mpi::call_absent(#name); }       \
  extern "C" [[gnu::weak, gnu::alias("P" #name), gnu::visibility("default")]] void name();
