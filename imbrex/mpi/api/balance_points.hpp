// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

/// True if a request or a buffered send of the rank is under way.
bool has_sends_or_receives(const rank_data& data);

/// Continues a balanced rank after a collective, on another PE if a balancer has asked it to move there.
void balance_after_collective(rank_data& data, const communicator& in);
/// Lets a balancer move the running rank at the end of a blocking collective, if that was one of all ranks.
inline void pass_collective(rank_data& data, const communicator& in) {
  if (data.points.are_counted) [[unlikely]]
    balance_after_collective(data, in);
}

}  // namespace imbrex::mpi
