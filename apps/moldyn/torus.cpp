// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/torus.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <imbrex/random.hpp>

namespace moldyn::torus {

std::vector<particle> initial_particles(const imbrex::index<2>& cell) {
  imbrex::random dice((static_cast<std::uint64_t>(cell[0]) << 32U) + static_cast<std::uint64_t>(cell[1]));
  const auto number = [&dice] { return static_cast<double>(dice() >> 11U) * 0x1p-52 - 1; };
  std::vector<particle> all;
  const int count = (cell[0] + cell[1]) % 2 == 0 ? 20 : 19;
  for (int i = 0; i < count; ++i) {
    particle p;
    p.position = {cell[0] + i % 5 * 0.2 + 0.1 + 0.01 * number(),
                  cell[1] + i / 5 * 0.25 + 0.125 + 0.01 * number()};
    p.velocity = {number(), number()};
    all.push_back(p);
  }
  return all;
}

int filled_rows(int rows, const harness::fraction& part) {
  return static_cast<int>(std::max<std::int64_t>(1, rows * part.part / part.of));
}

imbrex::index<2> cells_for(std::int64_t particles) {
  const double cells = std::max(1.0, static_cast<double>(particles) / 19.5);
  const auto rows = static_cast<std::int64_t>(std::ceil(std::sqrt(cells) - 1e-9));
  return {rows, std::max<std::int64_t>(1, std::llround(cells / static_cast<double>(rows)))};
}

}  // namespace moldyn::torus
