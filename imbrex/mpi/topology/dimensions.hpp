// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace imbrex::mpi {

/// Gives the dimensions that are 0 lengths so that the product of all is `places`: not ascending, with the
/// least difference of the longest and the shortest, and of those the shortest as long as can be, then the
/// next. Throws mpi::error (MPI_ERR_DIMS) if a length is negative, or
/// those that are given do not divide `places`.
void balance_dimensions(int places, std::span<int> dimensions);

}  // namespace imbrex::mpi
