// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/mpi/rank/rank_interface.hpp>

namespace imbrex::mpi {

// Ranks of one process, which may meet without packets. `self` is the rank that runs; `number` names another
// one among all ranks.

/// True if PEs of a process may exchange data without messages: no link model observes or reorders them.
bool shares_memory();
/// True if ranks may go to other processes.
bool may_leave_process();
/// The PE on which a rank began.
int first_pe_of(const rank& self, int number);
/// The node of that PE, from 0. Nodes are hosts, or in simulated time hosts of the model.
int first_node_of(const rank& self, int number);
/// Whether a rank lives in this process; `is_here`: on this PE.
bool is_in_process(const rank& self, int number);
bool is_here(const rank& self, int number);
/// Completes a request that a rank of this process awaits.
void complete_at(const rank& self, int number, request& q);
/// Calls a function on the PE of a rank of this process.
void call_at(const rank& self, int number, void (*function)(rank& there, void* object, std::uint64_t what),
             void* object, std::uint64_t what);

}  // namespace imbrex::mpi
