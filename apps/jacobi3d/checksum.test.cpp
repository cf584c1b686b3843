// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/checksum.hpp"

#include <gtest/gtest.h>

#include "apps/harness/cell_checksum.hpp"
#include "apps/harness/decomposition.hpp"
#include "apps/jacobi3d/initial_values.hpp"
#include "apps/jacobi3d/reference.hpp"

namespace jacobi3d {
namespace {

std::uint64_t sum_over_blocks(const extents& grid, std::int64_t chares, const initial_values& values) {
  const decomposition cut = minimal_surface(grid, chares);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < cut.blocks[0]; ++i)
    for (std::int64_t j = 0; j < cut.blocks[1]; ++j)
      for (std::int64_t k = 0; k < cut.blocks[2]; ++k) {
        block_field field(cut.cells({i, j, k}), {});
        fill(field, values, grid, cut.first({i, j, k}));
        sum += checksum(field, grid, cut.first({i, j, k}));
      }
  return sum;
}

TEST(checksum, is_the_same_for_every_decomposition) {
  const extents grid{7, 9, 10};
  const auto values = initial_values::parse("random:3");
  const std::uint64_t expected = serial_grid(grid, values).checksum();
  for (const std::int64_t chares : {1, 2, 5, 12, 30, 126})
    EXPECT_EQ(sum_over_blocks(grid, chares, values), expected);
  EXPECT_NE(sum_over_blocks(grid, 1, initial_values::parse("random:4")), expected);
}

TEST(checksum, is_as_documented) {
  EXPECT_EQ(cell_checksum(0, 0.0), 0xa706dd2f4d197e6fU);
  EXPECT_NE(cell_checksum(0, 0.0), cell_checksum(0, -0.0));
  EXPECT_NE(cell_checksum(0, 1.0), cell_checksum(1, 1.0));
}

}  // namespace
}  // namespace jacobi3d
