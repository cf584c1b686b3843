// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/grande_block.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace moldyn {
namespace {

using imbrex::cells::cell;

// An upper bound of an atom's move, so that it never passes a neighbouring block.
constexpr double farthest = 0.5;

void move(cell<atom>& all) {
  const auto advance = [](auto position, auto velocity, auto force) {
    for (std::size_t i = 0; i < position.size(); ++i) {
      position[i] += velocity[i] + force[i];
      velocity[i] += force[i];
      force[i] = 0;
    }
  };
  advance(all.column<0>(), all.column<3>(), all.column<6>());
  advance(all.column<1>(), all.column<4>(), all.column<7>());
  advance(all.column<2>(), all.column<5>(), all.column<8>());
}

// Adds the forces between the atoms of two cells. Adds the sums of `a`, and of `b` unless it is a copy, to
// `sums`.
void interact(cell<atom>& a, cell<atom>& b, double cutoff, energies& sums) {
  const auto ax = a.column<0>(), ay = a.column<1>(), az = a.column<2>();
  const auto bx = b.column<0>(), by = b.column<1>(), bz = b.column<2>();
  const auto afx = a.column<6>(), afy = a.column<7>(), afz = a.column<8>();
  const auto bfx = b.column<6>(), bfy = b.column<7>(), bfz = b.column<8>();
  double potential = 0;
  std::int64_t pairs = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double fx = 0, fy = 0, fz = 0;
    for (std::size_t j = &a == &b ? i + 1 : 0; j < b.size(); ++j) {
      const double x = ax[i] - bx[j], y = ay[i] - by[j], z = az[i] - bz[j];
      const double squared = x * x + y * y + z * z;
      if (squared > cutoff * cutoff) continue;
      const double r2 = 1 / squared, r4 = r2 * r2, r6 = r4 * r2, r8 = r4 * r4, r12 = r4 * r8;
      potential += r12 - r6;
      const double force = r12 * r2 - 0.5 * r8;
      fx += x * force;
      fy += y * force;
      fz += z * force;
      bfx[j] -= x * force;
      bfy[j] -= y * force;
      bfz[j] -= z * force;
      ++pairs;
    }
    afx[i] += fx;
    afy[i] += fy;
    afz[i] += fz;
  }
  sums.potential += b.is_own() ? potential : potential / 2;
  sums.interactions += b.is_own() ? 2 * pairs : pairs;
}

}  // namespace

imbrex::cells::domain<3> cube(const grande& model, int cells) {
  return {{0, 0, 0},
          {model.side, model.side, model.side},
          {cells, cells, cells},
          imbrex::grid::boundary::periodic};
}

grande_block::grande_block(const grande& model, const imbrex::cells::domain<3>& box,
                           const imbrex::grid::decomposition<3>& cut)
    : model_(model) {
  cells.connect<&grande_block::cells>(*this, box, cut);
  for (const atom& one : initial_atoms(model))
    if (cells.owns(one.position)) cells.insert(one);
}

double grande_block::finish_velocities() {
  constexpr double half_square = grande::step * grande::step * 0.5;
  double sum = 0;
  for (auto& all : cells.own_cells()) {
    const auto finish = [&](auto velocity, auto force) {
      for (std::size_t i = 0; i < velocity.size(); ++i) {
        force[i] *= half_square;
        velocity[i] += force[i];
        sum += velocity[i] * velocity[i];
      }
    };
    finish(all.column<3>(), all.column<6>());
    finish(all.column<4>(), all.column<7>());
    finish(all.column<5>(), all.column<8>());
  }
  return sum / (grande::step * grande::step);
}

void grande_block::scale_velocities(double by) {
  for (auto& all : cells.own_cells()) {
    const auto scale = [&](auto velocity) {
      for (double& v : velocity) v *= by;
    };
    scale(all.column<3>());
    scale(all.column<4>());
    scale(all.column<5>());
  }
}

imbrex::task<std::vector<energies>> grande_block::run(int moves, overlap how) {
  while (move_ < moves) {
    energies sums{.move = move_};
    const auto moved = cells.migrate(move, farthest);
    if (how == overlap::none) co_await moved.all();
    const auto cached = cells.cache_halo(model_.cutoff);
    if (how == overlap::none) co_await cached.all();
    co_await cells.for_each_pair(model_.cutoff,
                                 [&](auto& a, auto& b) { interact(a, b, model_.cutoff, sums); });
    double kinetic = finish_velocities();
    if (grande::rescales(move_)) {
      const double all = co_await all_reduce(kinetic, imbrex::by_key(imbrex::sum));
      const double scale = std::sqrt(grande::temperature / (model_.temperature_scale * all));
      scale_velocities(scale);
      kinetic *= scale * scale;
    } else if (how == overlap::none) {
      co_await all_reduce(0, imbrex::sum);
    }
    sums.kinetic = 24 * kinetic;
    sums.potential *= 4;
    if (grande::prints(move_) || move_ + 1 == moves) printed_.push_back(sums);
    ++move_;
    if (move_ < moves) co_await balance_point<&grande_block::run>(moves, how);
  }
  move_ = 0;
  co_return std::exchange(printed_, {});
}

}  // namespace moldyn
