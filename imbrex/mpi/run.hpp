// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/options/options.hpp>
#include <imbrex/mpi/rank.hpp>

namespace imbrex::mpi {

/// Runs a program's ranks, spread over the PEs of all processes in blocks of ranks that follow each other.
/// Returns the greatest exit status of a rank, or that of a run that ends otherwise. All processes call it
/// with the same program.
int run(const options& settings, const program& what);

/// The main task of a run of the current program: makes its ranks, and awaits their end.
task<int> ranks_of(const program& what);

}  // namespace imbrex::mpi
