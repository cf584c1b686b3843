// SPDX-License-Identifier: Apache-2.0
#include "apps/hotspot/loads.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <vector>

namespace hotspot {
namespace {

using point = std::array<double, 3>;

point spot_of(motion how, int step) {
  switch (how) {
    case motion::orbit: {
      const double angle = step * 0.02;
      return {0.5 + 0.3 * std::cos(angle), 0.5 + 0.3 * std::sin(angle), 0.3};
    }
    case motion::alternate: return {step % 2 == 0 ? 0.2 : 0.8, 0.5, 0.5};
    case motion::drift: return {std::fmod(step * 0.01, 1.0), 0.5, 0.5};
    case motion::jump: return {std::fmod(step / 10 * 0.618, 1.0), std::fmod(step / 10 * 0.414, 1.0), 0.5};
    case motion::none: break;
  }
  return {0, 0, 0};
}

/// The busiest PE's load if the heaviest cells are placed first.
double packed(std::vector<double> loads, int pes) {
  std::sort(loads.begin(), loads.end(), std::greater<>());
  std::priority_queue<double, std::vector<double>, std::greater<>> sums(
      std::greater<>(), std::vector<double>(static_cast<std::size_t>(pes), 0));
  double busiest = 0;
  for (const double load : loads) {
    const double sum = sums.top() + load;
    sums.pop();
    sums.push(sum);
    busiest = std::max(busiest, sum);
  }
  return busiest;
}

}  // namespace

double load_of(motion how, const std::array<int, 3>& cell, const std::array<int, 3>& cells, int step) {
  if (how == motion::none) return 1;
  const point spot = spot_of(how, step);
  double square = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double away = (cell[d] + 0.5) / cells[d] - spot[d];
    square += away * away;
  }
  return 1 + 8 * std::exp(-20 * square);
}

bounds bounds_of(motion how, const std::array<int, 3>& cells, int steps, int pes) {
  bounds sums;
  for (int step = 0; step < steps; ++step) {
    std::vector<double> loads;
    for (int x = 0; x < cells[0]; ++x)
      for (int y = 0; y < cells[1]; ++y)
        for (int z = 0; z < cells[2]; ++z) loads.push_back(load_of(how, {x, y, z}, cells, step));
    double all = 0;
    for (const double load : loads) all += load;
    sums.mean += all / pes;
    sums.best += packed(std::move(loads), pes);
  }
  return sums;
}

}  // namespace hotspot
