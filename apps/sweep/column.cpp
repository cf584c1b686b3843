// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/column.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "apps/harness/cell_checksum.hpp"

namespace sweep {
namespace {

// The flow through a face. In `fluxes` the step's angles run fastest.
double flow(const face& fluxes, const step& what, const std::vector<double>& twice_cosine,
            const std::vector<double>& half_weight) {
  const auto angles = std::size_t(what.angles), first = std::size_t(what.first_angle);
  double sum = 0;
  for (std::size_t i = 0; i < fluxes.size(); ++i) {
    const std::size_t angle = first + i % angles;
    sum += fluxes[i] * half_weight[angle] * twice_cosine[angle];
  }
  return sum;
}

}  // namespace

column::column(const problem& posed, const pace& steps)
    : posed_(posed),
      pace_(steps),
      cut_{posed.grid, {peers().shape()[0], peers().shape()[1], 1}},
      first_(cut_.first({where()[0], where()[1], 0})),
      count_(cut_.cells({where()[0], where()[1], 0})),
      coefficients_(quadrature(posed.angles_per_octant)),
      source_(std::size_t(count_[0] * count_[1] * count_[2])),
      flux_(source_.size()),
      last_flux_(source_.size()) {}

imbrex::task<progress> column::run(std::int64_t iterations, double tolerance) {
  progress& p = progress_;
  while (p.iterations < iterations) {
    scatter();
    leakage_ = 0;
    for (int octant = 0; octant < octants; ++octant) co_await pass(octant);
    p.residual = residual();
    ++p.iterations;
    if (tolerance > 0) {
      p.residual = co_await all_reduce(p.residual, imbrex::max);
      if (p.residual < tolerance) break;
    }
    if (p.iterations < iterations) co_await balance_point<&column::run>(iterations, tolerance);
  }
  co_return std::exchange(p, {});
}

void column::scatter() {
  last_flux_.swap(flux_);
  std::ranges::fill(flux_, 0.0);
  for_each_cell([&](std::size_t cell, std::int64_t x, std::int64_t y, std::int64_t z) {
    source_[cell] = fixed_source(posed_.grid, x, y, z) + scattering_cross_section * last_flux_[cell];
  });
}

double column::residual() const {
  double greatest = 0;
  for (std::size_t cell = 0; cell < flux_.size(); ++cell)
    greatest = std::max(greatest, std::abs(flux_[cell] - last_flux_[cell]));
  return greatest;
}

imbrex::task<> column::pass(int octant) {
  step next{.octant = octant};
  for (; next.first_angle < posed_.angles_per_octant; next.first_angle += next.angles) {
    next.angles = std::min(posed_.angles, posed_.angles_per_octant - next.first_angle);
    z_.assign(std::size_t(count_[0] * count_[1] * next.angles), 0.0);
    for (next.first_plane = 0; next.first_plane < count_[2]; next.first_plane += next.planes) {
      next.planes = std::min(posed_.planes, count_[2] - next.first_plane);
      co_await take(next);
      // Yields to the scheduler: outflow is sent, and other columns of the PE may have become ready.
      co_await imbrex::sleep_for(std::chrono::nanoseconds(0));
    }
    leakage_ += flow(z_, next, coefficients_.z, coefficients_.half_weight);
  }
}

imbrex::task<> column::take(const step& what) {
  if (neighbour(0, !ascends(what.octant, 0))) {
    face inflow = co_await x_inflow.receive(step_);
    x_ = std::move(inflow);
  } else {
    x_.assign(std::size_t(what.planes * count_[1] * what.angles), 0.0);
  }
  if (neighbour(1, !ascends(what.octant, 1))) {
    face inflow = co_await y_inflow.receive(step_);
    y_ = std::move(inflow);
  } else {
    y_.assign(std::size_t(what.planes * count_[0] * what.angles), 0.0);
  }
  const auto began = pace::clock::now();
  make_step(coefficients_, count_, what, {source_.data(), flux_.data(), x_.data(), y_.data(), z_.data()});
  pace_.keep(began);
  send_outflow(what);
  ++step_;
}

std::optional<imbrex::index<2>> column::neighbour(int dimension, bool higher) const {
  auto next = where();
  next[dimension] += higher ? 1 : -1;
  if (next[dimension] < 0 || next[dimension] == peers().shape()[dimension]) return std::nullopt;
  return next;
}

void column::send_outflow(const step& what) {
  if (const auto next = neighbour(0, ascends(what.octant, 0)))
    imbrex::send<&column::x_inflow>(peers()[*next], step_, std::move(x_));
  else
    leakage_ += flow(x_, what, coefficients_.x, coefficients_.half_weight);
  if (const auto next = neighbour(1, ascends(what.octant, 1)))
    imbrex::send<&column::y_inflow>(peers()[*next], step_, std::move(y_));
  else
    leakage_ += flow(y_, what, coefficients_.y, coefficients_.half_weight);
}

particle_balance column::balance() {
  particle_balance own_balance{.leakage = leakage_};
  for_each_cell([&](std::size_t cell, std::int64_t x, std::int64_t y, std::int64_t z) {
    own_balance.source += fixed_source(posed_.grid, x, y, z);
    own_balance.absorption += (total_cross_section - scattering_cross_section) * flux_[cell];
  });
  return own_balance;
}

std::uint64_t column::checksum() {
  std::uint64_t sum = 0;
  const extents& grid = posed_.grid;
  for_each_cell([&](std::size_t cell, std::int64_t x, std::int64_t y, std::int64_t z) {
    sum += harness::cell_checksum(std::uint64_t((x * grid[1] + y) * grid[2] + z), flux_[cell]);
  });
  return sum;
}

std::vector<double> column::cells() {
  std::vector<double> values(flux_.size());
  for_each_cell([&](std::size_t cell, std::int64_t x, std::int64_t y, std::int64_t z) {
    values[std::size_t(((x - first_[0]) * count_[1] + y - first_[1]) * count_[2] + z)] = flux_[cell];
  });
  return values;
}

}  // namespace sweep
