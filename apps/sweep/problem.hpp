// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/harness/extents.hpp"

/// Discrete ordinates on a wavefront, as in Sweep3D (K. R. Koch, R. S. Baker, R. E. Alcouffe, "Solution of
/// the first-order form of the 3-D discrete ordinates equation on a massively parallel processor", 1992):
/// particles of one energy group in a homogeneous medium surrounded by vacuum, scattered isotropically. The
/// method is source iteration with diamond differences. Negative fluxes are not fixed up, so that particles
/// are conserved in each cell.
namespace sweep {

using harness::extents;

/// The problem, and the size of one step of the pipeline.
struct problem {
  extents grid;                    ///< cells, each of unit length
  std::int64_t angles_per_octant;  ///< directions in each of the eight octants
  std::int64_t planes;             ///< most planes of cells along z in a step
  std::int64_t angles;             ///< most angles in a step
};

/// Cross sections: interactions of a particle per unit length.
inline constexpr double total_cross_section = 0.25;
inline constexpr double scattering_cross_section = 0.125;

/// A cell's emission besides scattered particles: 1 in the corner with the low half of each dimension, else
/// 0, so that the octants differ in their results.
inline double fixed_source(const extents& grid, std::int64_t x, std::int64_t y, std::int64_t z) {
  return 2 * x < grid[0] && 2 * y < grid[1] && 2 * z < grid[2] ? 1 : 0;
}

}  // namespace sweep
