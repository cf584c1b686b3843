// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {

/// The initial values of the cells, and the constant values of the fixed cells around the grid. A pure
/// function of the global index, so every decomposition starts with the same values.
class initial_values {
 public:
  /// Parses the option's text:
  /// - `hot-face`: 0 inside, 1 outside the low-x face, 0 outside the others
  /// - `random:SEED`: numbers in [0, 1) inside, outside as hot-face
  /// - `linear`: (x + 1) + 2 (y + 1) + 3 (z + 1), inside and outside. A sweep does not change it, and since
  ///   all sums are whole numbers the change is exactly 0
  /// Throws std::invalid_argument, with a text for the user.
  static initial_values parse(const std::string& text);

  /// The value at a global index; outside the grid one coordinate is -1 or the grid's extent.
  double at(const extents& grid, std::int64_t x, std::int64_t y, std::int64_t z) const;

 private:
  enum class kind { hot_face, random, linear };

  initial_values(kind which, std::uint64_t seed) : kind_(which), seed_(seed) {}

  kind kind_;
  std::uint64_t seed_;
};

/// Fills a block whose first cell has the given global index, its surrounding layer included.
void fill(block_field& field, const initial_values& values, const extents& grid, const extents& first);

}  // namespace jacobi3d
