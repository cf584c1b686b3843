// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/collective/schedule.hpp>
#include <imbrex/mpi/operation/operation.hpp>

namespace imbrex::mpi {

/// The operation of a reduction and the type of its values.
struct reduction {
  ref<operation> op;
  MPI_Datatype type_handle = MPI_DATATYPE_NULL;  ///< the program's handle of the type, for user functions
};

// Arguments of a collective's plan live until the plan ends. `send` and `receive` have the same count and
// type; with MPI_IN_PLACE they are the same buffer. A non-commutative operation is applied in rank order.

/// Reduces to the root by a binomial tree. `root` is as in `broadcast`.
plan reduce(schedule& s, int root, const user_buffer& send, const user_buffer& receive, const reduction& how);
/// Reduces to all members by recursive doubling.
plan all_reduce(schedule& s, const user_buffer& send, const user_buffer& receive, const reduction& how);
/// Reduces and scatters the result: rank i gets `counts[i]` elements, at `receive`. If `is_in_place`, `send`
/// has the same address.
plan reduce_scatter(schedule& s, const user_buffer& send, void* receive,
                    const std::vector<std::int64_t>& counts, const reduction& how);
/// Prefix reductions: `scan` includes the own rank, `exclusive_scan` excludes it and leaves `receive` of rank
/// 0 unchanged.
plan scan(schedule& s, const user_buffer& send, const user_buffer& receive, const reduction& how);
plan exclusive_scan(schedule& s, const user_buffer& send, const user_buffer& receive, const reduction& how);

}  // namespace imbrex::mpi
