// SPDX-License-Identifier: Apache-2.0
#include "apps/harness/decomposition.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace harness {
namespace {

std::string text(const extents& numbers) {
  return std::to_string(numbers[0]) + " x " + std::to_string(numbers[1]) + " x " + std::to_string(numbers[2]);
}

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> found;
  for (std::int64_t low = 1; low <= number / low; ++low) {
    if (number % low != 0) continue;
    found.push_back(low);
    if (low != number / low) found.push_back(number / low);
  }
  return found;
}

std::optional<decomposition> best_cut(const extents& grid, std::int64_t chares) {
  std::optional<decomposition> best;
  const auto rank = [](const decomposition& cut) {
    return std::tuple(cut_surface(cut), -cut.blocks[0], -cut.blocks[1]);
  };
  const std::vector<std::int64_t> factors = divisors(chares);
  for (const std::int64_t x : factors) {
    if (x > grid[0]) continue;
    for (const std::int64_t y : factors) {
      if (y > grid[1] || (chares / x) % y != 0 || chares / x / y > grid[2]) continue;
      const decomposition cut{grid, {x, y, chares / x / y}};
      if (!best || rank(cut) < rank(*best)) best = cut;
    }
  }
  return best;
}

// The nearest possible numbers of chares, below and above; 1 is always possible.
std::string nearest_possible(const extents& grid, std::int64_t chares, std::int64_t cells) {
  std::int64_t below = chares - 1, above = chares + 1;
  while (!best_cut(grid, below)) --below;
  while (above <= cells && !best_cut(grid, above)) ++above;
  return above <= cells ? std::to_string(below) + " or " + std::to_string(above) : std::to_string(below);
}

}  // namespace

extents decomposition::first(const extents& block) const {
  extents at;
  for (std::size_t d = 0; d < 3; ++d)
    at[d] = block[d] * (grid[d] / blocks[d]) + std::min(block[d], grid[d] % blocks[d]);
  return at;
}

std::array<bool, sides> decomposition::shared_sides(const extents& block) const {
  std::array<bool, sides> shared;
  for (std::size_t d = 0; d < 3; ++d) {
    shared[2 * d] = block[d] > 0;
    shared[2 * d + 1] = block[d] + 1 < blocks[d];
  }
  return shared;
}

extents decomposition::cells(const extents& block) const {
  extents count;
  for (std::size_t d = 0; d < 3; ++d)
    count[d] = grid[d] / blocks[d] + (block[d] < grid[d] % blocks[d] ? 1 : 0);
  return count;
}

std::int64_t cell_count(const extents& grid) {
  constexpr std::int64_t most = std::int64_t(1) << 60;
  std::int64_t cells = 1;
  for (const std::int64_t extent : grid) {
    if (extent < 1)
      throw std::invalid_argument("the grid " + text(grid) + " has a dimension of less than 1 cell");
    if (extent > most / cells)
      throw std::invalid_argument("the grid " + text(grid) + " has more than 2^60 cells: no memory holds it");
    cells *= extent;
  }
  return cells;
}

std::int64_t cut_surface(const decomposition& cut) {
  const auto& [x, y, z] = cut.grid;
  return (cut.blocks[0] - 1) * y * z + (cut.blocks[1] - 1) * x * z + (cut.blocks[2] - 1) * x * y;
}

decomposition minimal_surface(const extents& grid, std::int64_t chares) {
  const std::int64_t cells = cell_count(grid);
  if (chares < 1)
    throw std::invalid_argument("the grid cannot be cut for " + std::to_string(chares) +
                                " chares: give at least 1");
  if (chares > cells)
    throw std::invalid_argument("more chares than cells: " + std::to_string(chares) +
                                " chares, but the grid " + text(grid) + " has " + std::to_string(cells) +
                                " cells; take fewer --pes, a smaller --odf or a larger problem");
  if (const auto best = best_cut(grid, chares)) return *best;
  throw std::invalid_argument("the grid " + text(grid) + " cannot be cut into " + std::to_string(chares) +
                              " blocks: no product of three numbers within its extents is " +
                              std::to_string(chares) + "; the nearest that can is " +
                              nearest_possible(grid, chares, cells));
}

}  // namespace harness
