// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/torus_block.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include <imbrex/random.hpp>

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

block::block(const imbrex::cells::domain<2>& box, const imbrex::grid::decomposition<2>& cut, int filled) {
  cells.connect<&block::cells>(*this, box, cut);
  for (const auto& at : cells.own())
    if (at[0] < filled)
      for (const particle& p : initial_particles(at)) cells.insert(p);
}

void block::pause(std::int64_t cycle, const work_times& times) const {
  if (times.pause.count() == 0) return;
  const auto number =
      static_cast<std::uint64_t>(where()[0]) * static_cast<std::uint64_t>(peers().shape()[1]) +
      static_cast<std::uint64_t>(where()[1]);
  imbrex::random dice(number << 32U | static_cast<std::uint64_t>(cycle));
  if (static_cast<double>(dice() >> 11U) * 0x1p-53 < times.pause_chance) imbrex::spend(times.pause);
}

imbrex::task<summary> block::run(std::int64_t cycles, overlap how, work_times times) {
  summary& sums = sums_;
  double before = imbrex::seconds();
  const auto end_part = [&](std::size_t part) {
    const double now = imbrex::seconds();
    sums.seconds[part] += now - before;
    before = now;
  };
  while (cycle_ < cycles) {
    pause(cycle_, times);
    if (how == overlap::none) co_await all_reduce(0, imbrex::sum);
    end_part(0);
    const auto for_particles = times.particle * static_cast<std::int64_t>(cells.size());
    imbrex::spend(for_particles);
    const auto moved = cells.migrate(move_cell, farthest);
    if (how == overlap::none) co_await moved.all();
    end_part(1);
    imbrex::spend(for_particles);
    const auto cached = cells.cache_halo(cutoff);
    if (how == overlap::none) co_await cached.all();
    end_part(2);
    sums.potential = 0;
    co_await cells.for_each_pair(cutoff, [&](auto& a, auto& b) {
      if (times.pair.count() != 0) imbrex::spend(times.pair * static_cast<std::int64_t>(a.size() * b.size()));
      if (&a == &b)
        sums.potential += interact_within(columns_of(a));
      else
        sums.potential += (b.is_own() ? 1 : 0.5) * interact(columns_of(a), columns_of(b), 0, 0);
    });
    end_part(3);
    ++cycle_;
    if (cycle_ < cycles) co_await balance_point<&block::run>(cycles, how, times);
  }
  cycle_ = 0;
  cells.for_each_own([&](const particle& p) {
    sums.kinetic += (p.velocity[0] * p.velocity[0] + p.velocity[1] * p.velocity[1]) / 2;
    sums.momentum_x += p.velocity[0];
    sums.momentum_y += p.velocity[1];
    ++sums.particles;
  });
  co_return std::exchange(sums, {});
}

imbrex::task<std::int64_t> block::interactions() {
  std::int64_t near = 0;
  co_await cells.for_each_pair(cutoff, [&near](auto& a, auto& b) {
    const cell_columns here = columns_of(a), there = columns_of(b);
    const std::int64_t each = b.is_own() && &a != &b ? 2 : 1;  // pairs of two own cells are visited once
    for (std::size_t i = 0; i < here.size; ++i)
      for (std::size_t j = 0; j < there.size; ++j) {
        const double x = here.x[i] - there.x[j], y = here.y[i] - there.y[j];
        if (x * x + y * y < cutoff * cutoff && !(&a == &b && i == j)) near += each;
      }
  });
  co_return near;
}

}  // namespace moldyn::torus
