// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

class rank;

/// Passes a balance point of the running rank. If a balancer has asked the rank to move and it `can_move`, it
/// continues on the other PE.
void pass_balance_point(rank& running, bool can_move);
/// Counts the time of the running rank for balancers no longer, or again.
void pause_load(rank& running, bool is_paused);

}  // namespace imbrex::mpi
