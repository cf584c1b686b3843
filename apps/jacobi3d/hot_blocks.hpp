// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/harness/extents.hpp"

namespace jacobi3d {

/// Blocks that repeat their sweeps, and so take longer than others: the first ones of the array. Repetitions
/// compute the same cells again.
struct hot_blocks {
  std::int64_t hot = 0, of = 1;  ///< `hot` of each `of` blocks
  std::int64_t sweeps = 1;       ///< sweeps of a hot block in an iteration

  /// The sweeps in an iteration of a block of the array.
  std::int64_t sweeps_of(const harness::extents& place, const harness::extents& blocks) const {
    const std::int64_t number = (place[0] * blocks[1] + place[1]) * blocks[2] + place[2];
    return number * of < hot * (blocks[0] * blocks[1] * blocks[2]) ? sweeps : 1;
  }
};

}  // namespace jacobi3d
