// SPDX-License-Identifier: Apache-2.0
#include "apps/harness/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace harness {

void comparison::add_cell(const extents& cell, double computed, double expected) {
  ++cells_;
  if (std::bit_cast<std::uint64_t>(computed) == std::bit_cast<std::uint64_t>(expected)) return;
  ++different_;
  max_abs_error_ = std::max(max_abs_error_, std::abs(computed - expected));
  if (!first_ || cell < first_->cell) first_ = difference{cell, computed, expected};
}

std::string comparison::text() const {
  if (equal()) return fmt::format("all {} cells equal, bit for bit", cells_);
  const auto& [x, y, z] = first_->cell;
  return fmt::format(
      "{} of {} cells differ, by at most {:.3g}; the first is ({}, {}, {}): {:.17g}, which must be {:.17g}",
      different_, cells_, max_abs_error_, x, y, z, first_->computed, first_->expected);
}

}  // namespace harness
