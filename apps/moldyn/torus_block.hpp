// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/cells.hpp>

#include "apps/moldyn/overlap.hpp"
#include "apps/moldyn/torus.hpp"

namespace moldyn::torus {

/// What the particles come to after the last cycle.
struct summary {
  double kinetic = 0;
  double potential = 0;
  double momentum_x = 0, momentum_y = 0;
  std::int64_t particles = 0;

  double total() const { return kinetic + potential; }
  summary operator+(const summary& other) const {
    return {kinetic + other.kinetic, potential + other.potential, momentum_x + other.momentum_x,
            momentum_y + other.momentum_y, particles + other.particles};
  }
};

/// Some of the cells.
class block : public imbrex::chare<block, imbrex::index<2>> {
 public:
  imbrex::cells::cell_set<2, particle> cells;

  block(const imbrex::cells::domain<2>& box, const imbrex::grid::decomposition<2>& cut);

  /// So many cycles. Returns this block's part of what they come to.
  imbrex::task<summary> run(std::int64_t cycles, overlap how);
};

/// The domain: so many cells of unit size.
imbrex::cells::domain<2> box_of(const imbrex::index<2>& cells);

}  // namespace moldyn::torus
