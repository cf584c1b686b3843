// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/minimd/problem.hpp"
#include "apps/minimd/sums.hpp"

namespace minimd {

/// The state at a step, as miniMD defines it: temperature with 3 N - 3 degrees of freedom, potential energy
/// of an atom, and pressure, in the units of the problem.
struct thermo {
  std::int64_t step = 0;
  double temperature = 0;
  double potential = 0;
  double pressure = 0;
  double kinetic = 0;  ///< energy of an atom
};

thermo thermo_of(const problem& what, const thermo_sums& sums);

}  // namespace minimd
