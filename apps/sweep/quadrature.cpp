// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/quadrature.hpp"

#include <cmath>
#include <numbers>

namespace sweep {
namespace {

struct node {
  double place, weight;
};

struct value_and_slope {
  double value, slope;
};

// Legendre's polynomial of this degree.
value_and_slope legendre(std::int64_t degree, double x) {
  double before = 1, value = x;
  for (std::int64_t n = 2; n <= degree; ++n) {
    const double next = (double(2 * n - 1) * x * value - double(n - 1) * before) / double(n);
    before = value;
    value = next;
  }
  return {value, double(degree) * (x * value - before) / (x * x - 1)};
}

// A positive node of the Gauss-Legendre quadrature with 2 * count nodes, by Newton's method; the positive
// nodes' weights sum to 1.
node gauss_legendre(std::int64_t count, std::int64_t which) {
  const std::int64_t degree = 2 * count;
  double x = std::cos(std::numbers::pi * (double(which) + 0.75) / (double(degree) + 0.5));
  for (int round = 0; round < 8; ++round) {
    const auto [value, slope] = legendre(degree, x);
    x -= value / slope;
  }
  const double slope = legendre(degree, x).slope;
  return {x, 2 / ((1 - x * x) * slope * slope)};
}

// The greatest divisor that does not exceed the square root.
std::int64_t levels_of(std::int64_t angles) {
  auto levels = std::int64_t(std::sqrt(double(angles)));
  while (angles % levels != 0) --levels;
  return levels;
}

}  // namespace

std::vector<ordinate> quadrature(std::int64_t angles_per_octant) {
  const std::int64_t levels = levels_of(angles_per_octant), around = angles_per_octant / levels;
  std::vector<ordinate> all;
  for (std::int64_t level = 0; level < levels; ++level) {
    const auto [xi, weight] = gauss_legendre(levels, level);
    const double radius = std::sqrt(1 - xi * xi);
    for (std::int64_t turn = 0; turn < around; ++turn) {
      const double angle = std::numbers::pi / 2 * (double(turn) + 0.5) / double(around);
      all.push_back(
          {radius * std::cos(angle), radius * std::sin(angle), xi, weight / double(octants * around)});
    }
  }
  return all;
}

}  // namespace sweep
