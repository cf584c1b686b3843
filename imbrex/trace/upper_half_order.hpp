// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace imbrex::trace {

/// Sorts numbers whose lower 32 bits increase from each to the next: by their upper 32 bits, equal ones by the lower. `room`
/// is for its use, and grows as it must. O(numbers).
void sort_by_upper_half(std::vector<std::uint64_t>& numbers, std::vector<std::uint64_t>& room);

}  // namespace imbrex::trace
