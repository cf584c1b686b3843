// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/plain_loop.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <imbrex/error.hpp>

#include "apps/moldyn/torus_kernel.hpp"

namespace moldyn::torus {

plain_loop::plain_loop(const imbrex::index<2>& cells, int filled)
    : cells_(cells), counts_(static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1])) {
  for (auto* column : {&x_, &y_, &vx_, &vy_, &fx_, &fy_}) column->resize(counts_.size() * room);
  for (const auto& at : imbrex::indices(imbrex::index2(filled, cells[1])))
    for (const particle& p : initial_particles(at)) add(cell_at(at[0], at[1]), p);
}

void plain_loop::add(std::size_t cell, const particle& p) {
  if (cell >= counts_.size() || counts_[cell] == room)
    throw imbrex::error("a particle of the plain loop has left the torus, or more than " +
                        std::to_string(room) + " are in a cell: take a shorter time step");
  const std::size_t at = cell * room + counts_[cell]++;
  x_[at] = p.position[0];
  y_[at] = p.position[1];
  vx_[at] = p.velocity[0];
  vy_[at] = p.velocity[1];
  fx_[at] = p.force[0];
  fy_[at] = p.force[1];
}

void plain_loop::migrate() {
  movers_.clear();
  const auto wrapped = [](double& x, double length) { x += x < 0 ? length : x >= length ? -length : 0; };
  for (int row = 0; row < cells_[0]; ++row)
    for (int column = 0; column < cells_[1]; ++column) {
      const std::size_t cell = cell_at(row, column), first = cell * room;
      move(&x_[first], &vx_[first], &fx_[first], counts_[cell]);
      move(&y_[first], &vy_[first], &fy_[first], counts_[cell]);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < counts_[cell]; ++i) {
        const std::size_t from = first + i, to = first + kept;
        const double x = x_[from], y = y_[from];
        if (x >= row && x < row + 1 && y >= column && y < column + 1) {
          if (from != to) {
            for (auto* values : {&x_, &y_, &vx_, &vy_, &fx_, &fy_}) (*values)[to] = (*values)[from];
          }
          ++kept;
          continue;
        }
        particle p{{x, y}, {vx_[from], vy_[from]}, {fx_[from], fy_[from]}};
        wrapped(p.position[0], cells_[0]);
        wrapped(p.position[1], cells_[1]);
        movers_.push_back({cell_at(std::min(static_cast<int>(p.position[0]), cells_[0] - 1),
                                   std::min(static_cast<int>(p.position[1]), cells_[1] - 1)),
                           p});
      }
      counts_[cell] = kept;
    }
  for (const mover& m : movers_) add(m.to, m.what);
  migrated_ += static_cast<std::int64_t>(movers_.size());
}

double plain_loop::interact_all() {
  static constexpr std::array<std::array<int, 2>, 4> later{{{0, 1}, {1, -1}, {1, 0}, {1, 1}}};
  const auto columns = [&](std::size_t cell) {
    const std::size_t at = cell * room;
    return cell_columns{&x_[at], &y_[at], &fx_[at], &fy_[at], counts_[cell]};
  };
  double energy = 0;
  for (int row = 0; row < cells_[0]; ++row)
    for (int column = 0; column < cells_[1]; ++column) {
      const cell_columns here = columns(cell_at(row, column));
      energy += interact_within(here);
      for (const auto& [down, right] : later) {
        int to_row = row + down, to_column = column + right;
        double shift_x = 0, shift_y = 0;
        const auto around = [](int& at, int end, double& shift) {
          if (at < 0) {
            at += end;
            shift = -end;
          } else if (at >= end) {
            at -= end;
            shift = end;
          }
        };
        around(to_row, cells_[0], shift_x);
        around(to_column, cells_[1], shift_y);
        energy += interact(here, columns(cell_at(to_row, to_column)), shift_x, shift_y);
      }
    }
  return energy;
}

void plain_loop::advance(std::int64_t cycles) {
  for (std::int64_t i = 0; i < cycles; ++i) {
    migrate();
    potential_ = interact_all();
  }
}

summary plain_loop::sums() const {
  summary s{.potential = potential_};
  for (std::size_t cell = 0; cell < counts_.size(); ++cell)
    for (std::size_t i = cell * room; i < cell * room + counts_[cell]; ++i) {
      s.kinetic += (vx_[i] * vx_[i] + vy_[i] * vy_[i]) / 2;
      s.momentum_x += vx_[i];
      s.momentum_y += vy_[i];
      ++s.particles;
    }
  return s;
}

}  // namespace moldyn::torus
