// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {

/// The sum, modulo 2^64, of the contributions (see cell_checksum.hpp) of a block's cells; `first` is the
/// block's first global index. The checksum of a grid is the sum over its blocks, equal for every
/// decomposition and order.
std::uint64_t checksum(const block_field& field, const extents& grid, const extents& first);

}  // namespace jacobi3d
