// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/stretches.hpp"

#include <algorithm>

namespace jacobi3d {

std::vector<std::int64_t> stretches(std::int64_t iterations, std::int64_t at_most) {
  const std::int64_t count = std::min(iterations, at_most);
  std::vector<std::int64_t> lengths;
  for (std::int64_t stretch = 0; stretch < count; ++stretch)
    lengths.push_back(iterations * (stretch + 1) / count - iterations * stretch / count);
  return lengths;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace jacobi3d
