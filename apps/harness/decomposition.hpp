// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "apps/harness/extents.hpp"

namespace harness {

/// A grid divided into blocks along planes. Blocks differ by at most one cell in each dimension.
struct decomposition {
  extents grid;
  extents blocks;

  /// The first cell of the block with these indices. No block is empty: blocks[d] <= grid[d].
  extents first(const extents& block) const;
  /// The extents of the block.
  extents cells(const extents& block) const;
  /// True for each side of the block that has a neighbour.
  std::array<bool, sides> shared_sides(const extents& block) const;
  /// The extents of the largest block, which is the first one.
  extents largest() const { return cells({0, 0, 0}); }
};

/// The number of cells of a grid. Throws std::invalid_argument, with a text for the user, if an extent is
/// less than 1 or the number exceeds 2^60.
std::int64_t cell_count(const extents& grid);

/// Divides a grid into `chares` blocks with minimal surface between them. Among equal ones x is divided
/// first, then y, which keeps the rows along z long. Throws std::invalid_argument, with a text for the user
/// that contains the numbers, if that is impossible: fewer than one chare, more chares than cells, or no
/// possible factorisation.
decomposition minimal_surface(const extents& grid, std::int64_t chares);

/// The number of cells on one side of all cuts between blocks.
std::int64_t cut_surface(const decomposition& cut);

}  // namespace harness
