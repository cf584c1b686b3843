// SPDX-License-Identifier: Apache-2.0
#include "apps/harness/decomposition.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/testing/error_of.hpp>

namespace harness {
namespace {

using imbrex::testing::error_of;

std::int64_t least_surface(const extents& grid, std::int64_t chares) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t x = 1; x <= grid[0]; ++x)
    for (std::int64_t y = 1; y <= grid[1]; ++y)
      for (std::int64_t z = 1; z <= grid[2]; ++z)
        if (x * y * z == chares) least = std::min(least, cut_surface({grid, {x, y, z}}));
  return least;
}

void expect_each_cell_once(const decomposition& cut) {
  const auto& [x, y, z] = cut.grid;
  std::vector<int> covered(std::size_t(x * y * z), 0);
  for (std::int64_t i = 0; i < cut.blocks[0]; ++i)
    for (std::int64_t j = 0; j < cut.blocks[1]; ++j)
      for (std::int64_t k = 0; k < cut.blocks[2]; ++k) {
        const extents first = cut.first({i, j, k}), cells = cut.cells({i, j, k});
        for (std::size_t d = 0; d < 3; ++d) {
          ASSERT_GE(cells[d], 1);
          ASSERT_LE(cut.largest()[d] - cells[d], 1);
        }
        for (std::int64_t a = first[0]; a < first[0] + cells[0]; ++a)
          for (std::int64_t b = first[1]; b < first[1] + cells[1]; ++b)
            for (std::int64_t c = first[2]; c < first[2] + cells[2]; ++c)
              ++covered.at(std::size_t((a * y + b) * z + c));
      }
  for (const int times : covered) ASSERT_EQ(times, 1);
}

TEST(decomposition, is_minimal_and_covers_each_cell_once_for_random_grids) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> extent(1, 20);
  for (int trial = 0; trial < 40; ++trial) {
    const extents grid{extent(random), extent(random), extent(random)};
    for (std::int64_t chares = 1; chares <= 60; ++chares) {
      const std::int64_t least = least_surface(grid, chares);
      if (least == std::numeric_limits<std::int64_t>::max()) {
        EXPECT_THROW(minimal_surface(grid, chares), std::invalid_argument);
        continue;
      }
      const decomposition cut = minimal_surface(grid, chares);
      ASSERT_EQ(cut.blocks[0] * cut.blocks[1] * cut.blocks[2], chares);
      ASSERT_EQ(cut_surface(cut), least);
      expect_each_cell_once(cut);
    }
  }
}

TEST(decomposition, prefers_cuts_across_x_then_y) {
  EXPECT_EQ(minimal_surface({64, 64, 64}, 2).blocks, (extents{2, 1, 1}));
  EXPECT_EQ(minimal_surface({64, 64, 64}, 4).blocks, (extents{2, 2, 1}));
  EXPECT_EQ(minimal_surface({64, 64, 64}, 32).blocks, (extents{4, 4, 2}));
  EXPECT_EQ(minimal_surface({8, 8, 64}, 8).blocks, (extents{1, 1, 8}));
}

TEST(decomposition, holds_for_the_longest_grids) {
  const std::int64_t length = std::int64_t(1) << 60;
  const decomposition cut = minimal_surface({1, length, 1}, 999'983);
  EXPECT_EQ(cut.first({0, 999'982, 0})[1] + cut.cells({0, 999'982, 0})[1], length);
}

std::string complaint(const extents& grid, std::int64_t chares) {
  return error_of<std::invalid_argument>([&] { minimal_surface(grid, chares); });
}

TEST(decomposition, refuses_with_the_numbers) {
  EXPECT_EQ(complaint({4, 4, 4}, 65),
            "more chares than cells: 65 chares, but the grid 4 x 4 x 4 has 64 cells; take fewer "
            "--pes, a smaller --odf or a larger problem");
  EXPECT_EQ(complaint({8, 8, 8}, 67),
            "the grid 8 x 8 x 8 cannot be cut into 67 blocks: no product of three numbers within its extents "
            "is 67; the nearest that can is 64 or 70");
  EXPECT_EQ(complaint({4, 0, 4}, 1), "the grid 4 x 0 x 4 has a dimension of less than 1 cell");
  EXPECT_EQ(complaint({4, 4, 4}, 0), "the grid cannot be cut for 0 chares: give at least 1");
  EXPECT_EQ(complaint({1L << 30, 1L << 30, 2}, 1),
            "the grid 1073741824 x 1073741824 x 2 has more than 2^60 cells: no memory holds it");
}

}  // namespace
}  // namespace harness
