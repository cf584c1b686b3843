// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/collective/schedule.hpp>

namespace imbrex::mpi {

// How the members of a communicator that is made come to know the same. What a plan is given lives until the
// plan ends.

/// From the first of some members of the own group to the others of them, by a binomial tree. Nothing for who
/// is none of them.
plan broadcast_among(schedule& s, const std::vector<int>& members, const user_buffer& data);

/// Between two groups: what the first member of each has, to all of both.
plan exchange_of_groups(schedule& s, const user_buffer& mine, const user_buffer& theirs);

/// With one member of the other group, or of the own one where there is one alone.
plan exchange_with(schedule& s, int other, const user_buffer& mine, const user_buffer& theirs);

}  // namespace imbrex::mpi
