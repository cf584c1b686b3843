// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {

/// One cell's part of a checksum: mix(mix(index) ^ bits), where index is (x * Y + y) * Z + z in a grid of X x
/// Y x Z cells, bits is the value's IEEE 754 representation and mix is SplitMix64's (see mix.hpp).
std::uint64_t cell_checksum(std::uint64_t index, double value);

/// The sum, modulo 2^64, of the parts of a block whose first cell has the given global index. The checksum of
/// a grid is the sum over its blocks: the same for every decomposition and order.
std::uint64_t checksum(const block_field& field, const extents& grid, const extents& first);

}  // namespace jacobi3d
