// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/collective/schedule.hpp>

namespace imbrex::mpi {

// Arguments of a collective's plan live until the plan ends. `root` is a rank of the communicator. In an
// intercommunicator it is a rank of the other group; in the root's group it is MPI_ROOT or MPI_PROC_NULL.

/// The plan of a member that takes no part.
plan nothing_to_do(schedule& s);

/// Barrier by dissemination: O(log ranks) rounds.
plan barrier(schedule& s);
/// Broadcast by a binomial tree.
plan broadcast(schedule& s, int root, const user_buffer& data);
plan broadcast_in_group(schedule& s, int root, const user_buffer& data);

/// Only the root uses `receive`. Without an address in `send`, the root's own block is already in place.
/// Short blocks of equal length go by a binomial tree; other blocks go directly to or from the root.
plan gather(schedule& s, int root, const user_buffer& send, const block_list& receive, bool is_in_place,
            bool are_equal);
plan scatter(schedule& s, int root, const block_list& send, const user_buffer& receive, bool is_in_place,
             bool are_equal);

}  // namespace imbrex::mpi
