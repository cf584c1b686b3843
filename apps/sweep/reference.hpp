// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/sweep/problem.hpp"
#include "apps/sweep/quadrature.hpp"

namespace sweep {

/// The whole grid by plain loops over octants, angles and cells, which share no code with kernel.hpp: the
/// reference of --check. Equality is exact. A cell's angular flux is the same expression of the same numbers
/// in both (except doublings, which never round). Both add angular fluxes to the scalar flux octant by octant
/// and angle by angle.
class serial_solver {
 public:
  /// Throws std::bad_alloc.
  serial_solver(const extents& grid, std::int64_t angles_per_octant);

  /// The bytes that a solver allocates.
  static double bytes(const extents& grid);

  /// Iterates until this total number of iterations, which never decreases.
  void advance_to(std::int64_t iterations);

  /// The greatest change of a cell in the last iteration.
  double residual() const { return residual_; }
  double cell(std::int64_t x, std::int64_t y, std::int64_t z) const { return flux_[at(x, y, z)]; }
  std::uint64_t checksum() const;

 private:
  void iterate();
  void pass(int octant, const ordinate& direction);
  std::size_t at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return std::size_t((x * grid_[1] + y) * grid_[2] + z);
  }

  extents grid_;
  std::vector<ordinate> angles_;
  std::vector<double> source_, flux_;
  std::int64_t iterations_ = 0;
  double residual_ = 0;
};

}  // namespace sweep
