// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace jacobi3d {

/// How many of the timed iterations are timed together: the lengths of so many stretches, or of as many as
/// there are iterations if these are fewer. They are alike.
std::vector<std::int64_t> stretches(std::int64_t iterations, std::int64_t at_most = 7);

/// The middle one of at least one value, or the mean of the two in the middle.
double median(std::vector<double> values);

}  // namespace jacobi3d
