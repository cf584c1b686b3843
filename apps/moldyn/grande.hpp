// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include <imbrex/cells.hpp>

namespace moldyn {

/// The MolDyn model of the Java Grande benchmarks (Smith, Bull, Obdrzalek, "A parallel Java Grande benchmark
/// suite", SC 2001): argon in a periodic cube, with a cut-off proportional to its size. Lengths are in units
/// of sigma. Velocities are lengths a move; forces are accelerations times the square of a move, halved.
struct grande {
  /// A model with mm^3 cubes of four atoms each; 8 is the benchmark's size A, 13 its size B.
  explicit grande(int mm);
  grande() = default;

  int mm = 0;
  std::int64_t atoms = 0;
  double side = 0;    ///< edge of the cube
  double cutoff = 0;  ///< mm / 4
  double temperature_scale = 0;

  static constexpr double density = 0.83134;
  static constexpr double temperature = 0.722;
  static constexpr double step = 0.064;
  static constexpr int moves = 50;

  /// Whether, after a move counted from 0, velocities are scaled to the temperature, or energies are printed.
  static constexpr bool rescales(int move) { return move < 19 && (move + 1) % 10 == 0; }
  static constexpr bool prints(int move) { return (move + 1) % 10 == 0; }

  void serialize(auto& ar) { ar(mm, atoms, side, cutoff, temperature_scale); }
};

/// One atom.
struct atom {
  imbrex::cells::point<3> position{}, velocity{}, force{};

  auto columns() {
    return std::tie(position[0], position[1], position[2], velocity[0], velocity[1], velocity[2], force[0],
                    force[1], force[2]);
  }
};

/// Atoms on a lattice, with normally distributed velocities from the benchmark's own generator, scaled.
std::vector<atom> initial_atoms(const grande& model);

/// Sums over the atoms after a move.
struct energies {
  int move = 0;
  double kinetic = 0;             ///< as printed: 24 times the sum of squares
  double potential = 0;           ///< as printed: 4 times the sum over pairs
  std::int64_t interactions = 0;  ///< pairs within the cut-off

  double total() const { return kinetic + potential; }
};

}  // namespace moldyn
