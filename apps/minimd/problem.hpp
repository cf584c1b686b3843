// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <imbrex/cells.hpp>

#include "apps/minimd/velocity_change.hpp"

namespace minimd {

enum class unit_system : std::uint8_t { lj, metal, real };
enum class force_field : std::uint8_t { lj, eam };
/// Whether a pair is in the lists of both atoms or of one.
enum class list_kind : std::uint8_t { full, half };

/// Limits of unit cells along a side and of steps of a run.
inline constexpr std::int64_t most_cells = 100'000;
inline constexpr std::int64_t most_steps = 0x7fff'ffff;

/// The cubic cell of a face-centred lattice, with four atoms. A given density or constant is kept to the bit:
/// LAMMPS's velocities depend on all bits of positions.
class unit_cell {
 public:
  /// `density`: atoms in a unit of volume.
  static unit_cell of_density(double density);
  static unit_cell of_constant(double constant);

  double density() const { return density_; }
  /// The length of a side.
  double constant() const { return constant_; }

  void serialize(auto& ar) { ar(density_, constant_); }

 private:
  double density_ = 0;
  double constant_ = 0;
};

/// Constants of a system of units; all are 1 in reduced units. Those of metal units (eV, Angstrom, ps, bar)
/// and of real ones (kcal/mol, Angstrom, fs, atm) are LAMMPS's; miniMD's differ in the seventh digit.
struct units {
  double boltzmann = 1;
  double mass_to_energy = 1;      ///< factor of m v^2
  double energy_to_pressure = 1;  ///< factor of an energy in a volume

  static units of(unit_system which) {
    if (which == unit_system::lj) return {};
    if (which == unit_system::real) return {0.0019872067, 48.88821291 * 48.88821291, 68568.415};
    return {8.617343e-5, 1.0364269e-4, 1.6021765e6};
  }
};

/// A ball of atoms in an empty box, about the point at a quarter of each of its sides.
struct droplet {
  double radius = 0;       ///< in unit cells; 0: atoms fill the box
  std::int64_t atoms = 0;  ///< in the ball

  void serialize(auto& ar) { ar(radius, atoms); }
};

/// The simulated problem and how it is computed.
struct problem {
  unit_system in = unit_system::lj;
  force_field field = force_field::lj;
  imbrex::index<3> lattice{20, 20, 20};  ///< unit cells of four atoms
  unit_cell cell = unit_cell::of_density(0.8442);
  droplet ball{};
  double temperature = 1.44;                  ///< initial temperature with miniMD's formula
  std::vector<velocity_change> velocities{};  ///< LAMMPS's commands in order; empty: miniMD's formula
  double mass = 1;                            ///< 0: the potential's mass, still to be read
  double epsilon = 1;
  double sigma = 1;
  double cutoff = 2.5;
  double skin = 0.3;
  double time_step = 0.005;
  std::int64_t renewal = 20;  ///< steps between renewals of the neighbour lists
  /// Lists are renewed only if some atom has moved by half the skin since the last renewal, and `delay` steps
  /// have passed; LAMMPS's `check yes`.
  bool renews_if_needed = false;
  std::int64_t delay = 0;
  list_kind lists = list_kind::full;
  bool newton = true;         ///< half lists: a pair of two blocks is computed once, and its force sent back
  bool reproducible = false;  ///< integer sums: equal to the bit for any division into blocks
  std::string potential{};    ///< the text of an EAM potential file

  /// Leaves only the atoms of a droplet. O(sites of the lattice).
  void be_droplet(double radius);
  /// Whether there is an atom at a site with an even sum of its numbers, in half lattice constants.
  bool has_atom_at(const imbrex::index<3>& site) const;

  std::int64_t atoms() const {
    return ball.radius > 0 ? ball.atoms : std::int64_t{4} * lattice[0] * lattice[1] * lattice[2];
  }
  imbrex::cells::point<3> box() const {
    return {lattice[0] * cell.constant(), lattice[1] * cell.constant(), lattice[2] * cell.constant()};
  }
  double volume() const {
    const auto lengths = box();
    return lengths[0] * lengths[1] * lengths[2];
  }
  /// Maximum distance of atoms in a list.
  double range() const { return cutoff + skin; }

  void serialize(auto& ar) {
    ar(in, field, lattice, cell, ball, temperature, velocities, mass, epsilon, sigma, cutoff, skin, time_step,
       renewal, renews_if_needed, delay, lists, newton, reproducible, potential);
  }
};

struct atom {
  imbrex::cells::point<3> position{}, velocity{};
  std::int64_t id = 0;

  auto columns() {
    return std::tie(position[0], position[1], position[2], velocity[0], velocity[1], velocity[2], id);
  }
};

}  // namespace minimd
