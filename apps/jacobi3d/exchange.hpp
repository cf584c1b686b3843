// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/index.hpp>
#include <imbrex/serial/absent_bytes.hpp>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {

/// The indices of a block, or the numbers of blocks, as extents.
inline extents to_extents(const imbrex::index<3>& i) { return {i[0], i[1], i[2]}; }

/// The outermost cells of a block; `side` is the side of the receiving neighbour.
struct face {
  int side;
  std::vector<double> cells;
  imbrex::absent_bytes left_out{};  ///< absent bytes of the cells, with --no-data
};

}  // namespace jacobi3d
