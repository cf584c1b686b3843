// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace harness {

/// The progress of the parts of a grid.
struct progress {
  std::int64_t iterations = 0;  ///< iterations of one call of run()
  double residual = 0;          ///< greatest change of a cell in the last iteration, if requested
};

/// Reduces the progress of all parts to the one with the greatest residual. All parts have made the same
/// number of iterations.
struct greatest_residual {
  progress operator()(const progress& a, const progress& b) const { return a.residual < b.residual ? b : a; }
};

}  // namespace harness
