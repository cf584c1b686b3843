// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "apps/sweep/problem.hpp"
#include "apps/sweep/quadrature.hpp"

namespace sweep {

/// One step of the pipeline: some angles of an octant pass through some planes of a column. Planes are
/// counted from the side where the octant enters.
struct step {
  int octant = 0;
  std::int64_t first_plane = 0, planes = 0;
  std::int64_t first_angle = 0, angles = 0;
};

/// Coefficients of diamond differences for the directions of an octant, by direction.
struct coefficients {
  coefficients() = default;
  explicit coefficients(const std::vector<ordinate>& angles);

  void serialize(auto& ar) { ar(x, y, z, inverse, half_weight); }

  std::vector<double> x, y, z;  ///< twice the cosine
  std::vector<double> inverse;  ///< 2 divided by the sum of the total cross section and these
  std::vector<double> half_weight;
};

/// The operands of a step. For cells x runs fastest, then y. Angular fluxes are the inflow of the step's
/// cells along x, y and z; the step replaces them by the outflow. The step's angles run fastest, then x or
/// else y, counted from the side where the octant enters.
struct step_fields {
  const double* source;  ///< by cell: emitted and scattered particles
  double* flux;          ///< by cell: weighted sum of the angular fluxes so far
  double *x, *y, *z;     ///< angular fluxes
};

/// Executes a step in a column with these cells. The angles are added to each cell's flux one by one. So the
/// order of additions is the same for all decompositions and step sizes.
void make_step(const coefficients& of, const extents& cells, const step& what, const step_fields& fields);

}  // namespace sweep
