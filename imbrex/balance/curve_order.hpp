// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/balance/problem.hpp>

namespace imbrex::balance {

/// The objects in the order of a Hilbert curve through their coordinates (Skilling, "Programming the Hilbert
/// curve", AIP Conference Proceedings 707, 2004); objects of one point in the order of their numbers. Without
/// coordinates: the order of their numbers. Whoever solves several problems of the same coordinates keeps it
/// (`problem::curve`). O(objects).
std::vector<std::uint32_t> curve_order(const problem& p);

/// The place of each object on a Hilbert curve in a fixed grid: places of whole coordinates that are not
/// negative do not depend on which other objects there are. Without coordinates: the numbers of the objects.
/// O(objects).
std::vector<std::uint64_t> places_on_curve(const problem& p);

}  // namespace imbrex::balance
