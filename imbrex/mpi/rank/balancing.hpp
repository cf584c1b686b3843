// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::mpi {

class rank;

/// True if the run has a balancer, which measures the rank, or writes checkpoints.
bool has_balance_points(rank& of);
/// Lets the running rank take part in a stop of all elements, if there is one; else as `go_to_destination`.
void obey_balancer(rank& running);
/// Moves the running rank to the PE that a balancer has asked it to move to, if any; it continues there. If
/// the PE is in another process, it goes when the function of MPI returns (`journey::follow`).
void go_to_destination(rank& running);
/// Passes a balance point of the running rank. If a balancer has asked the rank to move and it `can_move`, it
/// continues on the other PE.
void pass_balance_point(rank& running, bool can_move);
/// True if the run has a folder for checkpoints, `--checkpoint DIR`.
bool has_folder_of_checkpoints();
/// Asks for a checkpoint of all ranks in this folder; empty: that of `--checkpoint DIR`. One rank calls it,
/// and all ranks `await_checkpoint`.
void request_checkpoint(const std::string& folder);
/// Lets the running rank stand, when its function of MPI returns, until a checkpoint has been made, or could
/// not be. `journey::take_problem` says which.
void await_checkpoint(rank& running);
/// Counts the time of the running rank for balancers no longer, or again.
void pause_load(rank& running, bool is_paused);

}  // namespace imbrex::mpi
