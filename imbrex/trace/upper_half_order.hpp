// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace imbrex::trace {

/// Sorts numbers by their upper 32 bits. Where these are equal: by the lower bits, if they increase from each
/// number to the next; else in any order. `room` is scratch space, which grows as needed. O(numbers).
void sort_by_upper_half(std::vector<std::uint64_t>& numbers, std::vector<std::uint64_t>& room);

}  // namespace imbrex::trace
