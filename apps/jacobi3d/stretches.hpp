// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace jacobi3d {

/// Divides the timed iterations into series that are timed together: the lengths of at most `at_most` series,
/// or of one for each iteration if there are fewer. The lengths are similar.
std::vector<std::int64_t> stretches(std::int64_t iterations, std::int64_t at_most = 7);

/// The median of at least one value: the middle one, or the mean of the two in the middle.
double median(std::vector<double> values);

}  // namespace jacobi3d
