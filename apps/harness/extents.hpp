// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace harness {

/// Numbers of cells, or of blocks, in the dimensions x, y and z; cells along z are adjacent in memory.
using extents = std::array<std::int64_t, 3>;

/// Sides of a block: low x, high x, low y, high y, low z, high z. The opposite of a side is `side ^ 1`.
inline constexpr int sides = 6;

}  // namespace harness
