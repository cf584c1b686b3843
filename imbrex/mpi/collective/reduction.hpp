// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/collective/schedule.hpp>
#include <imbrex/mpi/operation/operation.hpp>

namespace imbrex::mpi {

/// How values become one.
struct reduction {
  ref<operation> op;
  MPI_Datatype type_handle = MPI_DATATYPE_NULL;  ///< as the program has named it, for its own functions
};

// What a collective's plan is given lives until the plan ends. `send` and `receive` have the same count and
// type; they are one where a program says MPI_IN_PLACE. An operation that does not commute takes its values
// in the order of ranks.

/// The values of all to the root, by a binomial tree. `root` as of `broadcast`.
plan reduce(schedule& s, int root, const user_buffer& send, const user_buffer& receive, const reduction& how);
/// To all, by recursive doubling.
plan all_reduce(schedule& s, const user_buffer& send, const user_buffer& receive, const reduction& how);
/// To each rank a part of them: so many elements each, the own at `receive`. If `is_in_place`, `send` is the
/// same address.
plan reduce_scatter(schedule& s, const user_buffer& send, void* receive,
                    const std::vector<std::int64_t>& counts, const reduction& how);
/// Of the ranks up to the own one, or of those before it, which leaves `receive` of the first as it is.
plan scan(schedule& s, const user_buffer& send, const user_buffer& receive, const reduction& how);
plan exclusive_scan(schedule& s, const user_buffer& send, const user_buffer& receive, const reduction& how);

}  // namespace imbrex::mpi
