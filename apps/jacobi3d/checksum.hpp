// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {

/// The sum, modulo 2^64, of the cells' parts (see cell_checksum.hpp) of a block whose first cell has the
/// given global index. The checksum of a grid is the sum over its blocks: the same for every decomposition
/// and order.
std::uint64_t checksum(const block_field& field, const extents& grid, const extents& first);

}  // namespace jacobi3d
