// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "apps/harness/mix.hpp"

namespace harness {

/// The contribution of one cell to a checksum: mix(mix(index) ^ bits). In a grid of X x Y x Z cells, index is
/// (x * Y + y) * Z + z; bits is the value's IEEE 754 representation; mix is SplitMix64's (see mix.hpp).
inline std::uint64_t cell_checksum(std::uint64_t index, double value) {
  return mix(mix(index) ^ std::bit_cast<std::uint64_t>(value));
}

}  // namespace harness
