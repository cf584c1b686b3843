// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/collective/schedule.hpp>

namespace imbrex::mpi {

// Arguments of a collective's plan live until the plan ends.

/// Every member receives the blocks of all. Short blocks use Bruck's algorithm in O(log ranks) rounds, long
/// ones a ring. If `is_in_place`, the own block is already in `receive`. Every member knows all lengths.
plan all_gather(schedule& s, const user_buffer& send, const block_list& receive, bool is_in_place);

/// Every member receives one block from each member, with a bounded number of pairs at a time. If
/// `is_in_place`, the former contents of `receive` are sent.
plan all_to_all(schedule& s, const block_list& send, const block_list& receive, bool is_in_place);

/// The ranks that a rank receives from and sends to; MPI_PROC_NULL marks an absent neighbour.
struct neighbourhood {
  std::vector<int> sources;
  std::vector<int> destinations;
  bool is_grid = false;  ///< a grid: data sent down a dimension arrive from above, even from the same rank
};
/// The neighbours in the communicator's topology. Throws mpi::error (MPI_ERR_TOPOLOGY) if it has none.
neighbourhood neighbourhood_of(const communicator& in);

/// Block i of `send` goes to destination i; block j of `receive` comes from source j. If `is_one`, all
/// destinations get the one block of `send`.
plan exchange_with_neighbours(schedule& s, const neighbourhood& with, const block_list& send, bool is_one,
                              const block_list& receive);

}  // namespace imbrex::mpi
