// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/initial_values.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>

#include "apps/harness/mix.hpp"

namespace jacobi3d {

initial_values initial_values::parse(const std::string& text) {
  if (text == "hot-face") return {kind::hot_face, 0};
  if (text == "linear") return {kind::linear, 0};
  constexpr std::string_view prefix = "random:";
  if (text.starts_with(prefix)) {
    std::uint64_t seed = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + prefix.size(), end, seed);
    if (error == std::errc() && rest == end) return {kind::random, seed};
  }
  throw std::invalid_argument(
      "initial values '" + text +
      "' are unknown: say hot-face, linear or random:SEED with a seed from 0 to 2^64 - 1");
}

double initial_values::at(const extents& grid, std::int64_t x, std::int64_t y, std::int64_t z) const {
  if (kind_ == kind::linear) return double((x + 1) + 2 * (y + 1) + 3 * (z + 1));
  if (x < 0) return 1.0;
  if (kind_ == kind::hot_face || x == grid[0] || y < 0 || y == grid[1] || z < 0 || z == grid[2]) return 0.0;
  const auto index = std::uint64_t((x * grid[1] + y) * grid[2] + z);
  return double(mix(mix(seed_) ^ index) >> 11) * 0x1p-53;
}

void fill(block_field& field, const initial_values& values, const extents& grid, const extents& first) {
  field.fill([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return values.at(grid, first[0] + i, first[1] + j, first[2] + k);
  });
}

}  // namespace jacobi3d
