// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/problem.hpp"

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

}  // namespace minimd
