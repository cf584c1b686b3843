// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace jacobi3d {

void comparison::add(const serial_grid& expected, const extents& first, const extents& cells,
                     std::span<const double> values) {
  const double* value = values.data();
  for (std::int64_t i = first[0]; i < first[0] + cells[0]; ++i)
    for (std::int64_t j = first[1]; j < first[1] + cells[1]; ++j)
      for (std::int64_t k = first[2]; k < first[2] + cells[2]; ++k) {
        const double computed = *value++;
        const double right = expected.cell(i, j, k);
        if (std::bit_cast<std::uint64_t>(computed) == std::bit_cast<std::uint64_t>(right)) continue;
        ++different_;
        max_abs_error_ = std::max(max_abs_error_, std::abs(computed - right));
        const extents cell{i, j, k};
        if (!first_ || cell < first_->cell) first_ = difference{cell, computed, right};
      }
  cells_ += std::int64_t(values.size());
}

std::string comparison::text() const {
  if (equal()) return fmt::format("all {} cells equal, bit for bit", cells_);
  const auto& [x, y, z] = first_->cell;
  return fmt::format(
      "{} of {} cells differ, by at most {:.3g}; the first is ({}, {}, {}): {:.17g}, which must be {:.17g}",
      different_, cells_, max_abs_error_, x, y, z, first_->computed, first_->expected);
}

}  // namespace jacobi3d
