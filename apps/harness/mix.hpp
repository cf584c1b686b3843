// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace harness {

/// A bijection of 64-bit numbers that spreads each bit over all: the step of the generator SplitMix64 (G. L.
/// Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", 2014).
constexpr std::uint64_t mix(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

}  // namespace harness
