// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "apps/minimd/problem.hpp"

namespace minimd {

/// The sites of a face-centred cubic lattice from one corner to before another, in half lattice constants,
/// with velocities of miniMD's formula: each site has a seed of its own, so they do not depend on who asks.
/// Not yet without momentum, nor scaled. Atoms that get LAMMPS's velocities are at rest. The id of an atom is
/// the number of its site among all sites with an even sum, in the order of z, y, x. O(sites).
void for_each_site(const problem& what, const imbrex::index<3>& from, const imbrex::index<3>& to,
                   const std::function<void(const atom&)>& visit);

/// The number from 0 that LAMMPS gives the atom with that id: unit cells count in the order of z, y, x, and
/// in each of them its four atoms.
std::int64_t number_in_cells(const problem& what, std::int64_t id);

/// The random velocities of atoms, neither without momentum nor scaled.
class velocity_numbers {
 public:
  explicit velocity_numbers(const random_velocities& what);

  /// The velocity of the atom with that number, which must be greater than that of the call before.
  /// O(log of their difference), but O(difference) for a normal distribution.
  imbrex::cells::point<3> of(std::int64_t number, const imbrex::cells::point<3>& position);

 private:
  double uniform();
  double normal();

  random_velocities what_;
  std::int64_t state_ = 0;
  std::int64_t next_ = 0;         // the number of the atom whose velocity the row goes on with
  std::optional<double> kept_{};  // the second of two normal numbers, which come together
};

/// By how much velocities are scaled whose squares have this sum, so that the temperature is the given one.
/// 0 if the sum is.
double velocity_scale(const problem& what, double mass, double mass_to_energy, double sum_of_squares,
                      double temperature);

/// miniMD's constant, by which its velocities are scaled, as the values are that others publish.
double mass_to_energy_of_minimd(unit_system in);

}  // namespace minimd
