// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include <imbrex/cells.hpp>

#include "apps/harness/option_values.hpp"

namespace moldyn {

/// The cell program of Kawanishi et al., "Distributed Cell Set" (PMAM 2023), table 1: particles on a torus in
/// two dimensions, with cells of unit size and 19 or 20 particles in each. Values that the paper omits are
/// chosen here: a Lennard-Jones potential with sigma 0.2 and epsilon 0.05, mass 1, and an initial state by a
/// formula.
namespace torus {

inline constexpr double cutoff = 1;
inline constexpr double time_step = 0.005;
inline constexpr double sigma = 0.2;
inline constexpr double epsilon = 0.05;
/// The upper bound of a particle's move in a cycle.
inline constexpr double farthest = 0.25;

struct particle {
  imbrex::cells::point<2> position{}, velocity{}, force{};

  auto columns() { return std::tie(position[0], position[1], velocity[0], velocity[1], force[0], force[1]); }
};

/// The particles of the cell in that row and column of the torus: 5 x 4 lattice sites, displaced by up to
/// 0.01; every second cell omits the last one. Velocities are uniform from -1 to 1.
std::vector<particle> initial_particles(const imbrex::index<2>& cell);

/// The rows that are filled in the beginning, if that is their part: at least one.
int filled_rows(int rows, const harness::fraction& part);

/// The numbers of rows and columns of cells for about `particles` particles, 19.5 in each cell; almost a
/// square.
imbrex::index<2> cells_for(std::int64_t particles);

}  // namespace torus
}  // namespace moldyn
