// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/problem.hpp"

#include <algorithm>
#include <cmath>

namespace minimd {

unit_cell unit_cell::of_density(double density) {
  unit_cell cell;
  cell.density_ = density;
  cell.constant_ = std::pow(4.0 / density, 1.0 / 3.0);  // as miniMD and LAMMPS compute it
  return cell;
}

unit_cell unit_cell::of_constant(double constant) {
  unit_cell cell;
  cell.density_ = 4 / (constant * constant * constant);
  cell.constant_ = constant;
  return cell;
}

bool problem::has_atom_at(const imbrex::index<3>& site) const {
  if (ball.radius == 0) return true;
  double squared = 0;
  for (int d = 0; d < 3; ++d) {
    const double side = 2 * lattice[d], apart = std::abs(site[d] - side / 4);
    const double nearest = std::min(apart, side - apart);  // to the nearest image
    squared += nearest * nearest;
  }
  return squared <= 4 * ball.radius * ball.radius;
}

void problem::be_droplet(double radius) {
  ball = {radius, 0};
  for (int k = 0; k < 2 * lattice[2]; ++k)
    for (int j = 0; j < 2 * lattice[1]; ++j)
      for (int i = (j + k) % 2; i < 2 * lattice[0]; i += 2) ball.atoms += has_atom_at({i, j, k}) ? 1 : 0;
}

}  // namespace minimd
