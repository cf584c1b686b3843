// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "apps/harness/extents.hpp"

namespace harness {

/// A grid cut into blocks along planes. Blocks differ by at most one cell in each dimension.
struct decomposition {
  extents grid;
  extents blocks;

  /// The first cell of the block numbered so in each dimension. No block is empty: blocks[d] <= grid[d].
  extents first(const extents& block) const;
  /// The cells of that block.
  extents cells(const extents& block) const;
  /// Which sides of that block have a neighbour.
  std::array<bool, sides> shared_sides(const extents& block) const;
  /// The extents of the largest block, which is the first one.
  extents largest() const { return cells({0, 0, 0}); }
};

/// Cells of a grid. Throws std::invalid_argument, with a text for the user, when an extent is less than 1 or
/// the number is beyond 2^60.
std::int64_t cell_count(const extents& grid);

/// Cuts a grid into so many blocks that the surface between them is minimal. Among equal ones the cuts go
/// across x, then y, which leaves the rows along z long. Throws std::invalid_argument, with a text for the
/// user that names the numbers, when that is impossible: fewer than one chare, more chares than cells, or no
/// factorisation fits.
decomposition minimal_surface(const extents& grid, std::int64_t chares);

/// Cells on one side of all cuts between blocks.
std::int64_t cut_surface(const decomposition& cut);

}  // namespace harness
