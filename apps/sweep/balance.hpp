// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace sweep {

/// What becomes of the particles of an iteration. When it has converged, the source is the absorption and the
/// leakage.
struct particle_balance {
  double source = 0;
  double absorption = 0;
  double leakage = 0;  ///< through the surface of the grid

  particle_balance operator+(const particle_balance& other) const {
    return {source + other.source, absorption + other.absorption, leakage + other.leakage};
  }
  /// The part of the source that is missing, or too much.
  double error() const { return std::abs(source - absorption - leakage) / source; }
};

}  // namespace sweep
