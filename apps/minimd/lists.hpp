// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/index.hpp>

#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"

namespace minimd {

/// Atoms sorted by the cells of a region, the last dimension fastest.
struct cell_order {
  imbrex::index<3> extents{};        ///< extents of the region
  std::vector<std::size_t> begin;    ///< beginning of each cell, and the end
  std::vector<double> x, y, z;       ///< padded by 8
  std::vector<std::int32_t> number;  ///< index in the store; padded by 8
};

/// A row of cells along the last dimension, relative to a cell.
struct cell_row {
  int first = 0, second = 0;  ///< offsets in the first two dimensions
  int reach = 0;              ///< offsets from -reach to reach in the last dimension
};

/// The rows with cells within `distance` of a cell of that width.
std::vector<cell_row> rows_within(double distance, const imbrex::cells::point<3>& width);

/// Builds the list of atoms within `range` of each own atom. The block's cells begin at `origin` in the
/// region and have the given extents.
void build_list(neighbour_list& list, const atom_store& store, const cell_order& order,
                const std::vector<cell_row>& rows, const imbrex::index<3>& origin,
                const imbrex::index<3>& extents, double range, list_kind kind, bool newton);

}  // namespace minimd
