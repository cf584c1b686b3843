// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/checksum.hpp"

#include "apps/harness/cell_checksum.hpp"

namespace jacobi3d {

std::uint64_t checksum(const block_field& field, const extents& grid, const extents& first) {
  const extents& cells = field.cells();
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < cells[0]; ++i)
    for (std::int64_t j = 0; j < cells[1]; ++j) {
      const auto row = std::uint64_t(((first[0] + i) * grid[1] + first[1] + j) * grid[2] + first[2]);
      for (std::int64_t k = 0; k < cells[2]; ++k)
        sum += harness::cell_checksum(row + std::uint64_t(k), field.cell(i, j, k));
    }
  return sum;
}

}  // namespace jacobi3d
