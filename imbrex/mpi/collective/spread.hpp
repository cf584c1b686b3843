// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/collective/schedule.hpp>

namespace imbrex::mpi {

// What a collective's plan is given lives until the plan ends. `root` is a rank of the communicator; of an
// intercommunicator, of the other group, or MPI_ROOT or MPI_PROC_NULL where it is in the own one.

/// Of a member that takes no part.
plan nothing_to_do(schedule& s);

/// By dissemination: O(log ranks) rounds.
plan barrier(schedule& s);
/// By a binomial tree.
plan broadcast(schedule& s, int root, const user_buffer& data);
plan broadcast_in_group(schedule& s, int root, const user_buffer& data);

/// `receive` is the root's. Without an address in `send`, the root's own block is where it belongs. Blocks of
/// equal lengths, if they are short, go by a binomial tree; else each goes to the root by itself.
plan gather(schedule& s, int root, const user_buffer& send, const block_list& receive, bool is_in_place,
            bool are_equal);
plan scatter(schedule& s, int root, const block_list& send, const user_buffer& receive, bool is_in_place,
             bool are_equal);

}  // namespace imbrex::mpi
