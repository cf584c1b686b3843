// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checkpoints that all ranks ask for, in two steps: the ranks may go on on other threads, in other processes
// and in other runs in between.

#include <string>

#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

/// Begins a checkpoint in a folder; an empty one stands for that of `--checkpoint`. Collective. The
/// checkpoint is made while the ranks stand in `journey::follow`. Throws mpi::error on all ranks if one
/// cannot be saved.
void begin_checkpoint(rank_data& data, const std::string& folder);

/// The code of a function that has begun a checkpoint, after `journey::follow`. Errors name the function.
[[gnu::noinline]] int end_checkpoint(const char* function);

}  // namespace imbrex::mpi
