// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "apps/harness/extents.hpp"

namespace harness {

/// The result of a bitwise comparison of cells with the serial loop's.
class comparison {
 public:
  /// Compares a block whose first cell has the given global index. In `values` z runs fastest;
  /// expected.cell(x, y, z) is the correct value of a cell.
  template <class Grid>
  void add(const Grid& expected, const extents& first, const extents& cells, std::span<const double> values) {
    const double* value = values.data();
    for (std::int64_t i = first[0]; i < first[0] + cells[0]; ++i)
      for (std::int64_t j = first[1]; j < first[1] + cells[1]; ++j)
        for (std::int64_t k = first[2]; k < first[2] + cells[2]; ++k)
          add_cell({i, j, k}, *value++, expected.cell(i, j, k));
  }

  bool equal() const { return different_ == 0; }
  double max_abs_error() const { return max_abs_error_; }
  /// One line: the number of equal cells; or the first different cell, and the number of different ones.
  std::string text() const;

 private:
  struct difference {
    extents cell;
    double computed, expected;
  };

  void add_cell(const extents& cell, double computed, double expected);

  std::int64_t cells_ = 0, different_ = 0;
  double max_abs_error_ = 0;
  std::optional<difference> first_;
};

}  // namespace harness
