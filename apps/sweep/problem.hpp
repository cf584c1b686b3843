// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/harness/extents.hpp"

/// Discrete ordinates on a wavefront, as in Sweep3D (K. R. Koch, R. S. Baker, R. E. Alcouffe, "Solution of
/// the first-order form of the 3-D discrete ordinates equation on a massively parallel processor", 1992):
/// particles of one energy group in a homogeneous medium with vacuum around it, scattered isotropically.
/// Source iteration, diamond differences. Negative fluxes are not mended, so that in each cell as much is
/// lost as gained.
namespace sweep {

using harness::extents;

/// What is solved, and what one step of the pipeline is.
struct problem {
  extents grid;                    ///< cells, each of unit length
  std::int64_t angles_per_octant;  ///< directions in each of the eight octants
  std::int64_t planes;             ///< of cells along z that a step has at most
  std::int64_t angles;             ///< that a step has at most
};

/// Cross sections: what happens to a particle on a unit of its way.
inline constexpr double total_cross_section = 0.25;
inline constexpr double scattering_cross_section = 0.125;

/// What a cell emits besides scattered particles: 1 in the corner of the grid that has the low half of each
/// dimension, else 0, so that the octants differ in what they compute.
inline double fixed_source(const extents& grid, std::int64_t x, std::int64_t y, std::int64_t z) {
  return 2 * x < grid[0] && 2 * y < grid[1] && 2 * z < grid[2] ? 1 : 0;
}

}  // namespace sweep
