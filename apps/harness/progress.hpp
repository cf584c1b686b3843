// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace harness {

/// How far the parts of a grid have come.
struct progress {
  std::int64_t iterations = 0;  ///< of one call of run()
  double residual = 0;          ///< greatest change of a cell in the last one, where it was asked for
};

/// The operation that makes the progress of all parts of that of each: the greatest residual. All parts
/// have made the same number of iterations.
struct greatest_residual {
  progress operator()(const progress& a, const progress& b) const { return a.residual < b.residual ? b : a; }
};

}  // namespace harness
