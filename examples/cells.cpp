// SPDX-License-Identifier: Apache-2.0
// Particles in two dimensions that attract and repel each other, on a torus divided into cells. Blocks of
// cells are chares. The energy must equal that of the same particles in one block.
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>

#include <imbrex/cells.hpp>
#include <imbrex/random.hpp>

#include "arguments.hpp"

namespace cells = imbrex::cells;
namespace grid = imbrex::grid;

constexpr double cutoff = 1, sigma = 0.2, time_step = 0.005, farthest = 0.25;

struct particle {
  cells::point<2> position, velocity, force;
  auto columns() { return std::tie(position[0], position[1], velocity[0], velocity[1], force[0], force[1]); }
};

void move(particle& p) {
  for (std::size_t d = 0; d < 2; ++d) {
    p.velocity[d] += p.force[d] * time_step;
    p.position[d] += p.velocity[d] * time_step;
    p.force[d] = 0;
  }
}

// Adds the forces between the particles of two cells. Returns their potential energy, or half of it if one
// cell is a copy.
double interact(cells::cell<particle>& a, cells::cell<particle>& b) {
  const auto ax = a.column<0>(), ay = a.column<1>(), bx = b.column<0>(), by = b.column<1>();
  const auto afx = a.column<4>(), afy = a.column<5>(), bfx = b.column<4>(), bfy = b.column<5>();
  double energy = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = &a == &b ? i + 1 : 0; j < b.size(); ++j) {
      const double x = ax[i] - bx[j], y = ay[i] - by[j], squared = x * x + y * y;
      if (squared >= cutoff * cutoff) continue;
      const double ratio = sigma * sigma / squared, sixth = ratio * ratio * ratio;
      const double force = 24 * sixth * (2 * sixth - 1) / squared;
      energy += 4 * sixth * (sixth - 1);
      afx[i] += force * x;
      afy[i] += force * y;
      bfx[j] -= force * x;
      bfy[j] -= force * y;
    }
  return b.is_own() ? energy : energy / 2;
}

class block : public imbrex::chare<block, imbrex::index<2>> {
 public:
  cells::cell_set<2, particle> cells;

  block(const cells::domain<2>& box, const grid::decomposition<2>& cut) {
    cells.connect<&block::cells>(*this, box, cut);
    for (const auto& at : cells.own()) fill(at);
  }

  imbrex::task<double> run(int steps) {
    double energy = 0;
    for (int step = 0; step < steps; ++step) {
      energy = kinetic_energy();
      cells.migrate(move, farthest);
      cells.cache_halo(cutoff);
      co_await cells.for_each_pair(cutoff, [&](auto& a, auto& b) { energy += interact(a, b); });
    }
    co_return energy;
  }

 private:
  // Inserts 20 particles per cell, almost on a lattice, equal for any division into blocks.
  void fill(const imbrex::index<2>& at) {
    imbrex::random dice(std::hash<imbrex::index<2>>()(at));
    const auto number = [&] { return static_cast<double>(dice.below(2001)) / 1000 - 1; };
    for (int i = 0; i < 20; ++i)
      cells.insert({{at[0] + i % 5 * 0.2 + 0.1, at[1] + i / 5 * 0.25 + 0.125}, {number(), number()}, {}});
  }
  double kinetic_energy() const {
    double energy = 0;
    cells.for_each_own([&](const particle& p) {
      energy += (p.velocity[0] * p.velocity[0] + p.velocity[1] * p.velocity[1]) / 2;
    });
    return energy;
  }
};

imbrex::task<double> energy_in(imbrex::index<2> blocks, int side, int steps) {
  const cells::domain<2> torus({0, 0}, {double(side), double(side)}, {side, side}, grid::boundary::periodic);
  const grid::decomposition<2> cut(torus.cells(), blocks);
  const auto all = imbrex::make_array<block>(blocks, torus, cut);
  const double energy = co_await all.reduce<&block::run>(imbrex::sum, steps);
  co_return energy;
}

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "cells [BLOCKS_A_SIDE [CELLS_A_SIDE [STEPS]]]");
    const int blocks = command_line.next("BLOCKS_A_SIDE", 3, 16);
    const int side = command_line.next("CELLS_A_SIDE", 10, 256);
    const int steps = command_line.next("STEPS", 20, 1000);
    command_line.finish();

    const double energy = co_await energy_in({blocks, blocks}, side, steps);
    const double alone = co_await energy_in({1, 1}, side, steps);
    const bool right = std::fabs(energy - alone) <= 1e-9 * std::fabs(alone);
    std::printf("energy %.6f: %s\n", energy, right ? "as in one block" : "another than in one block");
    co_return right ? 0 : 1;
  });
}
