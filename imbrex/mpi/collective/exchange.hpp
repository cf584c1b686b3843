// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/collective/schedule.hpp>

namespace imbrex::mpi {

// What a collective's plan is given lives until the plan ends.

/// Every member gets the blocks of all. Short ones by Bruck's algorithm, in O(log ranks) rounds; others once
/// around a ring. If `is_in_place`, the own block is where it belongs. All know the lengths of all.
plan all_gather(schedule& s, const user_buffer& send, const block_list& receive, bool is_in_place);

/// Every member gets a block of each: some pairs at a time. If `is_in_place`, what is sent is what is there
/// before.
plan all_to_all(schedule& s, const block_list& send, const block_list& receive, bool is_in_place);

/// Whom a rank gets data from and sends data to; MPI_PROC_NULL among them is nobody.
struct neighbourhood {
  std::vector<int> sources;
  std::vector<int> destinations;
  bool is_grid = false;  ///< what is sent down a dimension comes from above, though both may be one rank
};
/// Of a communicator with a topology. Throws mpi::error (MPI_ERR_TOPOLOGY) if it has none.
neighbourhood neighbourhood_of(const communicator& in);

/// The block i goes to the destination i, and the block j comes from the source j. With `send` of one block
/// alone (`is_one`), all get that.
plan exchange_with_neighbours(schedule& s, const neighbourhood& with, const block_list& send, bool is_one,
                              const block_list& receive);

}  // namespace imbrex::mpi
