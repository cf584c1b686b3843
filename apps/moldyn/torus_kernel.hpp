// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace moldyn::torus {

/// The particles of a cell, with an array for each coordinate.
struct cell_columns {
  const double *x, *y;
  double *fx, *fy;
  std::size_t size;
};

/// Adds the forces between the particles of two cells to both; the second cell's positions are shifted.
/// Returns their potential energy.
double interact(const cell_columns& a, const cell_columns& b, double shift_x, double shift_y);
/// Adds the forces between the particles of one cell. Returns their potential energy.
double interact_within(const cell_columns& a);

/// Moves particles for a cycle, in one dimension; resets forces to 0.
void move(double* position, double* velocity, double* force, std::size_t size);

}  // namespace moldyn::torus
