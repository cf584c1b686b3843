// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/reference.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/harness/cell_checksum.hpp"

namespace sweep {

serial_solver::serial_solver(const extents& grid, std::int64_t angles_per_octant)
    : grid_(grid),
      angles_(quadrature(angles_per_octant)),
      source_(std::size_t(grid[0] * grid[1] * grid[2])),
      flux_(source_.size()) {}

double serial_solver::bytes(const extents& grid) {
  return 3.0 * sizeof(double) * double(grid[0]) * double(grid[1]) * double(grid[2]);
}

void serial_solver::advance_to(std::int64_t iterations) {
  for (; iterations_ < iterations; ++iterations_) iterate();
}

void serial_solver::iterate() {
  for (std::int64_t x = 0; x < grid_[0]; ++x)
    for (std::int64_t y = 0; y < grid_[1]; ++y)
      for (std::int64_t z = 0; z < grid_[2]; ++z)
        source_[at(x, y, z)] = fixed_source(grid_, x, y, z) + scattering_cross_section * flux_[at(x, y, z)];
  const std::vector<double> before = std::exchange(flux_, std::vector<double>(source_.size(), 0.0));
  for (int octant = 0; octant < octants; ++octant)
    for (const ordinate& direction : angles_) pass(octant, direction);
  residual_ = 0;
  for (std::size_t i = 0; i < flux_.size(); ++i)
    residual_ = std::max(residual_, std::abs(flux_[i] - before[i]));
}

void serial_solver::pass(int octant, const ordinate& direction) {
  const auto place = [&](std::size_t dimension, std::int64_t count) {
    return ascends(octant, int(dimension)) ? count : grid_[dimension] - 1 - count;
  };
  const double mu = 2 * direction.mu, eta = 2 * direction.eta, xi = 2 * direction.xi;
  const double inverse = 1 / (total_cross_section + mu + eta + xi);
  std::vector<double> from_z(static_cast<std::size_t>(grid_[0] * grid_[1]), 0.0);
  for (std::int64_t k = 0; k < grid_[2]; ++k) {
    std::vector<double> from_y(static_cast<std::size_t>(grid_[0]), 0.0);
    for (std::int64_t j = 0; j < grid_[1]; ++j) {
      double from_x = 0;
      for (std::int64_t i = 0; i < grid_[0]; ++i) {
        const std::size_t cell = at(place(0, i), place(1, j), place(2, k));
        double& y = from_y[std::size_t(i)];
        double& z = from_z[std::size_t(j * grid_[0] + i)];
        const double middle = (source_[cell] + xi * z + eta * y + mu * from_x) * inverse;
        from_x = 2 * middle - from_x;
        y = 2 * middle - y;
        z = 2 * middle - z;
        flux_[cell] += direction.weight * middle;
      }
    }
  }
}

std::uint64_t serial_solver::checksum() const {
  std::uint64_t sum = 0, index = 0;
  for (const double flux : flux_) sum += harness::cell_checksum(index++, flux);
  return sum;
}

}  // namespace sweep
