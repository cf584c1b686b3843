// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace imbrex::mpi {

/// Chooses lengths for the dimensions that are 0, so that the product of all is `places`. The lengths do not
/// ascend, and the longest and the shortest differ least. Among those choices the shortest is as long as
/// possible, then the next. Throws mpi::error (MPI_ERR_DIMS) if a length is negative, or the given lengths do
/// not divide `places`.
void balance_dimensions(int places, std::span<int> dimensions);

}  // namespace imbrex::mpi
