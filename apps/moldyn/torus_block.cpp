// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/torus_block.hpp"

#include <cstddef>

#include "apps/moldyn/torus_kernel.hpp"

namespace moldyn::torus {
namespace {

using imbrex::cells::cell;

cell_columns columns_of(cell<particle>& of) {
  return {of.column<0>().data(), of.column<1>().data(), of.column<4>().data(), of.column<5>().data(),
          of.size()};
}

void move_cell(cell<particle>& all) {
  move(all.column<0>().data(), all.column<2>().data(), all.column<4>().data(), all.size());
  move(all.column<1>().data(), all.column<3>().data(), all.column<5>().data(), all.size());
}

}  // namespace

imbrex::cells::domain<2> box_of(const imbrex::index<2>& cells) {
  return {{0, 0}, {double(cells[0]), double(cells[1])}, cells, imbrex::grid::boundary::periodic};
}

block::block(const imbrex::cells::domain<2>& box, const imbrex::grid::decomposition<2>& cut) {
  cells.connect<&block::cells>(*this, box, cut);
  for (const auto& at : cells.own())
    for (const particle& p : initial_particles(at)) cells.insert(p);
}

imbrex::task<summary> block::run(std::int64_t cycles, overlap how) {
  summary sums;
  for (std::int64_t cycle = 0; cycle < cycles; ++cycle) {
    if (how == overlap::none) co_await all_reduce(0, imbrex::sum);
    const auto moved = cells.migrate(move_cell, farthest);
    if (how == overlap::none) co_await moved.all();
    const auto cached = cells.cache_halo(cutoff);
    if (how == overlap::none) co_await cached.all();
    sums.potential = 0;
    co_await cells.for_each_pair(cutoff, [&](auto& a, auto& b) {
      if (&a == &b)
        sums.potential += interact_within(columns_of(a));
      else
        sums.potential += (b.is_own() ? 1 : 0.5) * interact(columns_of(a), columns_of(b), 0, 0);
    });
  }
  cells.for_each_own([&](const particle& p) {
    sums.kinetic += (p.velocity[0] * p.velocity[0] + p.velocity[1] * p.velocity[1]) / 2;
    sums.momentum_x += p.velocity[0];
    sums.momentum_y += p.velocity[1];
    ++sums.particles;
  });
  co_return sums;
}

}  // namespace moldyn::torus
