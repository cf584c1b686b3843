// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <imbrex/cells.hpp>

#include "apps/moldyn/overlap.hpp"
#include "apps/moldyn/torus.hpp"
#include "apps/moldyn/work_times.hpp"

namespace moldyn::torus {

/// The parts of a cycle: all blocks meet (without overlap), particles move, copies come, and the rest, which
/// is the work on pairs and what that waits for. Without overlap blocks wait for the end of each.
inline constexpr std::array part_names{"meeting", "migration", "cache", "pairs"};

/// What the particles come to after the last cycle.
struct summary {
  double kinetic = 0;
  double potential = 0;
  double momentum_x = 0, momentum_y = 0;
  std::int64_t particles = 0;
  std::array<double, part_names.size()> seconds{};  ///< of all blocks, in each part of all cycles

  double total() const { return kinetic + potential; }
  summary operator+(const summary& other) const {
    summary both{kinetic + other.kinetic, potential + other.potential, momentum_x + other.momentum_x,
                 momentum_y + other.momentum_y, particles + other.particles};
    for (std::size_t p = 0; p < seconds.size(); ++p) both.seconds[p] = seconds[p] + other.seconds[p];
    return both;
  }
};

/// Some of the cells.
class block : public imbrex::chare<block, imbrex::index<2>> {
 public:
  imbrex::cells::cell_set<2, particle> cells;

  block(const imbrex::cells::domain<2>& box, const imbrex::grid::decomposition<2>& cut);

  /// So many cycles. Returns this block's part of what they come to.
  imbrex::task<summary> run(std::int64_t cycles, overlap how, work_times times);
  /// How many pairs of an own particle and another are within the cut-off; behind `run`.
  imbrex::task<std::int64_t> interactions();

 private:
  void pause(std::int64_t cycle, const work_times& times) const;
};

/// The domain: so many cells of unit size.
imbrex::cells::domain<2> box_of(const imbrex::index<2>& cells);

}  // namespace moldyn::torus
