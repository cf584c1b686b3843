// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/reference.hpp"

#include <algorithm>
#include <cmath>

#include "apps/harness/cell_checksum.hpp"

namespace jacobi3d {

serial_grid::serial_grid(const extents& grid, const initial_values& values)
    : grid_(grid), now_(bytes(grid) / 2 / sizeof(double)) {
  for (std::int64_t x = -1; x <= grid[0]; ++x)
    for (std::int64_t y = -1; y <= grid[1]; ++y)
      for (std::int64_t z = -1; z <= grid[2]; ++z) now_[at(x, y, z)] = values.at(grid, x, y, z);
  next_ = now_;
}

std::uint64_t serial_grid::bytes(const extents& grid) {
  return 2 * sizeof(double) * std::uint64_t(grid[0] + 2) * std::uint64_t(grid[1] + 2) *
         std::uint64_t(grid[2] + 2);
}

double serial_grid::sweep(std::int64_t iterations) {
  const std::size_t x_step = at(1, 0, 0) - at(0, 0, 0), y_step = at(0, 1, 0) - at(0, 0, 0);
  double change = 0;
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    change = 0;
    for (std::int64_t x = 0; x < grid_[0]; ++x)
      for (std::int64_t y = 0; y < grid_[1]; ++y) {
        const double* old = &now_[at(x, y, 0)];
        double* fresh = &next_[at(x, y, 0)];
        for (std::int64_t z = 0; z < grid_[2]; ++z) {
          const double* c = old + z;
          fresh[z] = (c[0] + *(c - x_step) + c[x_step] + *(c - y_step) + c[y_step] + c[-1] + c[1]) / 7.0;
          change = std::max(change, std::abs(fresh[z] - c[0]));
        }
      }
    now_.swap(next_);
  }
  return change;
}

std::uint64_t serial_grid::checksum() const {
  std::uint64_t sum = 0, index = 0;
  for (std::int64_t x = 0; x < grid_[0]; ++x)
    for (std::int64_t y = 0; y < grid_[1]; ++y)
      for (std::int64_t z = 0; z < grid_[2]; ++z) sum += cell_checksum(index++, cell(x, y, z));
  return sum;
}

}  // namespace jacobi3d
