// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "apps/jacobi3d/initial_values.hpp"

namespace jacobi3d {

/// The whole grid swept by three nested loops, which share no code with stencil.hpp: the reference of
/// --check.
class serial_grid {
 public:
  /// Throws std::bad_alloc.
  serial_grid(const extents& grid, const initial_values& values);

  /// The bytes that such a grid allocates.
  static std::uint64_t bytes(const extents& grid);

  /// Sweeps `iterations` times. Returns the greatest change of a cell in the last sweep; 0 without a sweep.
  double sweep(std::int64_t iterations);

  double cell(std::int64_t x, std::int64_t y, std::int64_t z) const { return now_[at(x, y, z)]; }
  std::uint64_t checksum() const;

 private:
  std::size_t at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return std::size_t(((x + 1) * (grid_[1] + 2) + y + 1) * (grid_[2] + 2) + z + 1);
  }

  extents grid_;
  std::vector<double> now_, next_;
};

}  // namespace jacobi3d
