// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "apps/sweep/problem.hpp"
#include "apps/sweep/quadrature.hpp"

namespace sweep {

/// One step of the pipeline: some angles of an octant pass through some planes of a column. Planes are
/// counted from where the octant enters.
struct step {
  int octant = 0;
  std::int64_t first_plane = 0, planes = 0;
  std::int64_t first_angle = 0, angles = 0;
};

/// What diamond differences need of the directions of an octant, each number for all of them.
struct coefficients {
  explicit coefficients(const std::vector<ordinate>& angles);

  std::vector<double> x, y, z;  ///< twice the cosine
  std::vector<double> inverse;  ///< 2 divided by the total cross section and these
  std::vector<double> half_weight;
};

/// What a step works on. Cells lie with x running fastest, then y. Angular fluxes are what enters the step's
/// cells along x, y and z and, after it, in their place, what leaves them: the step's angles running fastest,
/// then x or else y, counted from where the octant enters.
struct step_fields {
  const double* source;  ///< of each cell: what is emitted and scattered in it
  double* flux;          ///< of each cell: the sum of the angular fluxes so far, weighted
  double *x, *y, *z;     ///< angular fluxes
};

/// Makes a step in a column of so many cells. Each cell's flux is added to angle by angle, and so in the same
/// order however the grid is cut and whatever a step is.
void make_step(const coefficients& of, const extents& cells, const step& what, const step_fields& fields);

}  // namespace sweep
