// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace imbrex::trace {

/// Sorts numbers by their upper 32 bits; where those are equal, by the lower if they increase from each
/// number to the next, or else in any order. `room` is for its use, and grows as it must. O(numbers).
void sort_by_upper_half(std::vector<std::uint64_t>& numbers, std::vector<std::uint64_t>& room);

}  // namespace imbrex::trace
