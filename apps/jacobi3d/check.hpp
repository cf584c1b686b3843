// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "apps/jacobi3d/reference.hpp"

namespace jacobi3d {

/// What comparing cells with the serial loop's, bit for bit, has come to.
class comparison {
 public:
  /// Compares a block whose first cell has the given global index; its cells lie with z running fastest.
  void add(const serial_grid& expected, const extents& first, const extents& cells,
           std::span<const double> values);

  bool equal() const { return different_ == 0; }
  double max_abs_error() const { return max_abs_error_; }
  /// One line: how many cells are equal, or the first that differs, and how many do.
  std::string text() const;

 private:
  struct difference {
    extents cell;
    double computed, expected;
  };

  std::int64_t cells_ = 0, different_ = 0;
  double max_abs_error_ = 0;
  std::optional<difference> first_;
};

}  // namespace jacobi3d
