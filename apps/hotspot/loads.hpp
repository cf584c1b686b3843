// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hotspot {

/// The change of the cells' loads from step to step.
enum class motion {
  orbit,      ///< a hot spot moves in a circle
  alternate,  ///< a hot spot is in one half of the cells in even steps, in the other half in odd ones
  drift,      ///< a hot spot moves along x
  jump,       ///< a hot spot is elsewhere after every ten steps
  none,       ///< all loads are equal
};
inline constexpr std::array<std::string_view, 5> motions{"orbit", "alternate", "drift", "jump", "none"};

/// The load of a cell in a step, between 1 far from the hot spot and 9 in it.
double load_of(motion how, const std::array<int, 3>& cell, const std::array<int, 3>& cells, int step);

/// Loads of a whole run, in those of a cell far from the hot spot.
struct bounds {
  double mean = 0;  ///< sum over the steps: the load of all cells over the number of PEs
  double best = 0;  ///< sum over the steps: the busiest PE if each step has the heaviest cells first, each on
                    ///< the least loaded PE
};
bounds bounds_of(motion how, const std::array<int, 3>& cells, int steps, int pes);

}  // namespace hotspot
