// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "apps/minimd/problem.hpp"

namespace minimd {

/// Visits the atoms at sites of a face-centred cubic lattice from `from` to before `to`, in half lattice
/// constants. Velocities are of miniMD's formula, before momentum is removed and they are scaled. Each site
/// has its own seed, so velocities do not depend on the block. Atoms with LAMMPS's velocities are at rest. An
/// atom's id is the rank of its site among all sites with an even sum, in the order of z, y, x. O(sites).
void for_each_site(const problem& what, const imbrex::index<3>& from, const imbrex::index<3>& to,
                   const std::function<void(const atom&)>& visit);

/// LAMMPS's number, from 0, of the atom with that id. Unit cells are numbered in the order of z, y, x; each
/// has four atoms.
std::int64_t number_in_cells(const problem& what, std::int64_t id);

/// Random velocities of atoms, before momentum is removed and they are scaled.
class velocity_numbers {
 public:
  explicit velocity_numbers(const random_velocities& what);

  /// The velocity of atom `number`, which must be greater than in the previous call. O(log of the
  /// difference), but O(difference) for a normal distribution.
  imbrex::cells::point<3> of(std::int64_t number, const imbrex::cells::point<3>& position);

 private:
  double uniform();
  double normal();

  random_velocities what_;
  std::int64_t state_ = 0;
  std::int64_t next_ = 0;         // number of the atom next in the random sequence
  std::optional<double> kept_{};  // second of a pair of normal numbers
};

/// The factor that scales velocities with this sum of squares to `temperature`; 0 if the sum is 0.
double velocity_scale(const problem& what, double mass, double mass_to_energy, double sum_of_squares,
                      double temperature);

/// miniMD's own constant, with which it scales velocities; published results use it.
double mass_to_energy_of_minimd(unit_system in);

}  // namespace minimd
