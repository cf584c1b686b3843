// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/options/options.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/mpi/rank/program.hpp>

namespace imbrex::mpi {

/// Runs a program's ranks in blocks of consecutive ranks on the PEs of all processes. Returns the greatest
/// exit status of a rank, or the status of a run that ends otherwise. All processes call it with the same
/// program.
int run(const options& settings, const program& what);

/// Main task of a run of the current program: creates its ranks and awaits their end.
task<int> ranks_of(const program& what);

}  // namespace imbrex::mpi
