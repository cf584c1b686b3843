// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "apps/harness/mix.hpp"

namespace harness {

/// One cell's part of a checksum: mix(mix(index) ^ bits), where index is (x * Y + y) * Z + z in a grid of X x
/// Y x Z cells, bits is the value's IEEE 754 representation and mix is SplitMix64's (see mix.hpp).
inline std::uint64_t cell_checksum(std::uint64_t index, double value) {
  return mix(mix(index) ^ std::bit_cast<std::uint64_t>(value));
}

}  // namespace harness
