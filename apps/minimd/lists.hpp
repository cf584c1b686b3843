// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/core/name/index.hpp>

#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"

namespace minimd {

/// Atoms sorted by the cells of a region, the last dimension fastest.
struct cell_order {
  imbrex::index<3> extents{};        ///< of the region
  std::vector<std::size_t> begin;    ///< of each cell, and the end
  std::vector<double> x, y, z;       ///< with 8 more than there are
  std::vector<std::int32_t> number;  ///< in the store; with 8 more
};

/// A row of cells in the last dimension, beside a cell.
struct cell_row {
  int first = 0, second = 0;  ///< offsets in the first two dimensions
  int reach = 0;              ///< from -reach to reach in the last
};

/// Which rows have cells within a distance of a cell of that width.
std::vector<cell_row> rows_within(double distance, const imbrex::cells::point<3>& width);

/// Which atoms are near which. `own` are the cells of the block in the region: from a corner, so many.
void build_list(neighbour_list& list, const atom_store& store, const cell_order& order,
                const std::vector<cell_row>& rows, const imbrex::index<3>& origin,
                const imbrex::index<3>& extents, double range, list_kind kind, bool newton);

}  // namespace minimd
