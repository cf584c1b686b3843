// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/problem.hpp"

#include <cmath>

namespace minimd {

// In the way of miniMD: the box is as many constants long.
double problem::constant() const { return std::pow(4.0 / density, 1.0 / 3.0); }

}  // namespace minimd
