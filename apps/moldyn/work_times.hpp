// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/clock.hpp>

namespace moldyn {

/// What a block of the torus takes of its PE in simulated time (`imbrex::spend`).
struct work_times {
  imbrex::nanoseconds pair{0};      ///< of two particles in neighbouring cells, whether near or not
  imbrex::nanoseconds particle{0};  ///< in each of a migration and of a cache of halos
  imbrex::nanoseconds pause{0};     ///< before a cycle, in some cycles of some blocks
  double pause_chance = 0;          ///< how many of them
};

}  // namespace moldyn
