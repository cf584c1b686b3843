// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

namespace minimd {

/// The source of random numbers for an atom's velocity, as with LAMMPS's `loop` in one process.
enum class number_source : std::uint8_t {
  row,         ///< one sequence in the order of atom numbers: `loop all`
  warmed_row,  ///< one sequence without its first hundred numbers: `loop local`
  position     ///< one sequence for each atom, seeded by the seed and the bits of its position: `loop geom`
};

/// Replaces velocities by random ones.
struct random_velocities {
  double temperature = 0;
  std::int32_t seed = 1;
  number_source source = number_source::row;
  bool is_gaussian = false;  ///< normal distribution; otherwise uniform
  bool has_momentum = false;
  bool has_rotation = true;  ///< if false, the angular momentum is removed
  bool adds = false;         ///< adds to the present velocities
};

/// Sets components to the same value for all atoms.
struct equal_velocities {
  std::array<std::optional<double>, 3> components{};
  bool adds = false;
};

/// Scales velocities to this temperature.
struct scaled_velocities {
  double temperature = 0;
};

/// Sets a component that rises linearly with a coordinate between two positions, and is constant outside.
struct ramped_velocities {
  std::size_t component = 0;
  std::array<double, 2> velocities{};
  std::size_t coordinate = 0;
  std::array<double, 2> positions{};
  bool adds = false;
};

/// Removes the momentum or the angular momentum.
struct stilled_velocities {
  bool is_angular = false;
};

/// One command `velocity all` of LAMMPS.
struct velocity_change {
  std::variant<random_velocities, equal_velocities, scaled_velocities, ramped_velocities, stilled_velocities>
      what{};
  double mass = 0;  ///< mass of an atom at that command; 0: the potential's, still to be read
};

}  // namespace minimd
