// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/mpi/rank/rank_interface.hpp>

namespace imbrex::mpi {

/// Begins a copy by a device; the request is done when the copy is. `to_on` and `from_on` are the devices
/// that hold the memory; null: the host. At most one of the two is null.
void begin_copy(rank& self, request& q, void* to, device* to_on, const void* from, device* from_on,
                std::size_t bytes);
/// Completes a request of the rank once all work ordered in a stream so far is done.
void complete_after(rank& self, stream& work, request& q);

}  // namespace imbrex::mpi
