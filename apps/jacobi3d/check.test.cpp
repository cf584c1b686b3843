// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apps/jacobi3d/reference.hpp"

namespace jacobi3d {
namespace {

std::vector<double> cells_of(const serial_grid& grid, const extents& first, const extents& count) {
  std::vector<double> values;
  for (std::int64_t x = 0; x < count[0]; ++x)
    for (std::int64_t y = 0; y < count[1]; ++y)
      for (std::int64_t z = 0; z < count[2]; ++z)
        values.push_back(grid.cell(first[0] + x, first[1] + y, first[2] + z));
  return values;
}

TEST(jacobi3d_check, finds_the_first_cell_that_differs_by_a_bit) {
  serial_grid grid({4, 3, 5}, initial_values::parse("random:1"));
  grid.sweep(3);
  comparison compared;
  auto high = cells_of(grid, {2, 0, 0}, {2, 3, 5});
  const double right = high[7];
  high[7] = std::nextafter(right, 2.0);
  compared.add(grid, {2, 0, 0}, {2, 3, 5}, high);
  auto low = cells_of(grid, {0, 0, 0}, {2, 3, 5});
  low[29] += 0.5;
  compared.add(grid, {0, 0, 0}, {2, 3, 5}, low);
  EXPECT_FALSE(compared.equal());
  EXPECT_DOUBLE_EQ(compared.max_abs_error(), 0.5);
  EXPECT_NE(compared.text().find("2 of 60 cells differ"), std::string::npos) << compared.text();
  EXPECT_NE(compared.text().find("the first is (1, 2, 4)"), std::string::npos) << compared.text();
}

TEST(jacobi3d_check, counts_what_is_equal) {
  const serial_grid grid({4, 3, 5}, initial_values::parse("linear"));
  comparison compared;
  compared.add(grid, {0, 0, 0}, {4, 3, 5}, cells_of(grid, {0, 0, 0}, {4, 3, 5}));
  EXPECT_TRUE(compared.equal());
  EXPECT_EQ(compared.text(), "all 60 cells equal, bit for bit");
}

}  // namespace
}  // namespace jacobi3d
