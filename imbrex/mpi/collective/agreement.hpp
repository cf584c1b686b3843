// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/collective/schedule.hpp>

namespace imbrex::mpi {

// Plans by which the members of a new communicator exchange its data. Arguments of a plan live until the plan
// ends.

/// Broadcast by a binomial tree from the first of `members`, ranks of the own group, to the others. Does
/// nothing on other ranks.
plan broadcast_among(schedule& s, const std::vector<int>& members, const user_buffer& data);

/// Between two groups: the first member of each sends its data to all members of both.
plan exchange_of_groups(schedule& s, const user_buffer& local_data, const user_buffer& remote_data);

/// Exchange with one member of the other group, or of the own group in an intracommunicator.
plan exchange_with(schedule& s, int other, const user_buffer& local_data, const user_buffer& remote_data);

}  // namespace imbrex::mpi
