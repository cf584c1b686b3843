// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/clock.hpp>

namespace moldyn {

/// The time that a block of the torus spends on its PE in simulated time (`imbrex::spend`).
struct work_times {
  imbrex::nanoseconds pair{0};      ///< per pair of particles in neighbouring cells, at any distance
  imbrex::nanoseconds particle{0};  ///< per particle, in each of a migration and a cache of halos
  imbrex::nanoseconds pause{0};     ///< before a cycle, in some cycles of some blocks
  double pause_chance = 0;          ///< the fraction of cycles and blocks with a pause
};

}  // namespace moldyn
