// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

namespace minimd {

/// From where the random numbers of an atom's velocity come, as LAMMPS's `loop` has it in one process.
enum class number_source : std::uint8_t {
  row,         ///< one row of numbers, in the order of the atoms' numbers: `loop all`
  warmed_row,  ///< a row whose first hundred numbers are left out: `loop local`
  position     ///< a row for each atom, by the seed and the bits of its position: `loop geom`
};

/// New random velocities.
struct random_velocities {
  double temperature = 0;
  std::int32_t seed = 1;
  number_source source = number_source::row;
  bool is_gaussian = false;  ///< or uniform
  bool has_momentum = false;
  bool has_rotation = true;  ///< or the angular momentum is taken away
  bool adds = false;         ///< to what is there
};

/// Components that all atoms get.
struct equal_velocities {
  std::array<std::optional<double>, 3> components{};
  bool adds = false;
};

/// Scales all, so that they have this temperature.
struct scaled_velocities {
  double temperature = 0;
};

/// A component that rises linearly with a coordinate, and is constant before and behind.
struct ramped_velocities {
  std::size_t component = 0;
  std::array<double, 2> velocities{};
  std::size_t coordinate = 0;
  std::array<double, 2> positions{};
  bool adds = false;
};

/// Takes the momentum away from all, or the angular momentum.
struct stilled_velocities {
  bool is_angular = false;
};

/// A command `velocity all` of LAMMPS.
struct velocity_change {
  std::variant<random_velocities, equal_velocities, scaled_velocities, ramped_velocities, stilled_velocities>
      what{};
  double mass = 0;  ///< each atom's at that time; 0: the potential's, which is still to be read
};

}  // namespace minimd
