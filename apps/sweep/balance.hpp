// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace sweep {

/// The fate of the particles of an iteration. After convergence the source equals absorption plus leakage.
struct particle_balance {
  double source = 0;
  double absorption = 0;
  double leakage = 0;  ///< through the surface of the grid

  particle_balance operator+(const particle_balance& other) const {
    return {source + other.source, absorption + other.absorption, leakage + other.leakage};
  }
  /// The missing fraction of the source; negative if there is too much.
  double error() const { return std::abs(source - absorption - leakage) / source; }
};

}  // namespace sweep
