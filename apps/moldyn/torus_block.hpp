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

/// The parts of a cycle: all blocks meet (without overlap), particles move, copies are cached; the rest is
/// the work on pairs, with its waits. Without overlap blocks wait for the end of each part.
inline constexpr std::array part_names{"meeting", "migration", "cache", "pairs"};

/// Sums over the particles after the last cycle.
struct summary {
  double kinetic = 0;
  double potential = 0;
  double momentum_x = 0, momentum_y = 0;
  std::int64_t particles = 0;
  std::array<double, part_names.size()> seconds{};  ///< sum over all blocks, of each part in all cycles

  double total() const { return kinetic + potential; }
  summary operator+(const summary& other) const {
    summary both{kinetic + other.kinetic, potential + other.potential, momentum_x + other.momentum_x,
                 momentum_y + other.momentum_y, particles + other.particles};
    for (std::size_t p = 0; p < seconds.size(); ++p) both.seconds[p] = seconds[p] + other.seconds[p];
    return both;
  }
};

/// A block of some cells of the torus. Between cycles it may migrate.
class block : public imbrex::chare<block, imbrex::index<2>> {
 public:
  imbrex::cells::cell_set<2, particle> cells;

  /// The first `filled` rows of cells have particles.
  block(const imbrex::cells::domain<2>& box, const imbrex::grid::decomposition<2>& cut, int filled);
  block() = default;

  /// Executes `cycles` cycles. Returns this block's share of the sums.
  imbrex::task<summary> run(std::int64_t cycles, overlap how, work_times times);
  /// The number of pairs of an own particle and another within the cut-off; call it after `run`.
  imbrex::task<std::int64_t> interactions();

  void serialize(auto& ar) { ar(cells, cycle_, sums_); }

 private:
  void pause(std::int64_t cycle, const work_times& times) const;

  // The present call of run().
  std::int64_t cycle_ = 0;
  summary sums_;
};

/// The domain with these cells of unit size.
imbrex::cells::domain<2> box_of(const imbrex::index<2>& cells);

}  // namespace moldyn::torus
