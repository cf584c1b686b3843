// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/minimd/problem.hpp"
#include "apps/minimd/sums.hpp"

namespace minimd {

/// The state at a step by miniMD's definitions: temperature with 3 N - 3 degrees of freedom, potential energy
/// for one atom, and pressure, in the units of the problem.
struct thermo {
  std::int64_t step = 0;
  double temperature = 0;
  double potential = 0;
  double pressure = 0;
  double kinetic = 0;  ///< kinetic energy for one atom
};

thermo thermo_of(const problem& what, const thermo_sums& sums);

}  // namespace minimd
