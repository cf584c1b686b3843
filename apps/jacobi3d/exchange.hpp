// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/core/name/index.hpp>
#include <imbrex/serial/absent_bytes.hpp>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {

/// Where a block is, or how many there are.
inline extents to_extents(const imbrex::index<3>& i) { return {i[0], i[1], i[2]}; }

/// The outermost cells of a block, for the neighbour whose `side` they lie at.
struct face {
  int side;
  std::vector<double> cells;
  imbrex::absent_bytes left_out{};  ///< of the cells, with --no-data
};

/// How far the blocks have come.
struct progress {
  std::int64_t iterations = 0;  ///< of one call of run()
  double residual = 0;          ///< greatest change of a cell in the last one, where it was asked for
};

/// The operation that makes the progress of all blocks of that of each: the greatest residual. All blocks
/// have made the same number of iterations.
struct greatest_residual {
  progress operator()(const progress& a, const progress& b) const { return a.residual < b.residual ? b : a; }
};

}  // namespace jacobi3d
