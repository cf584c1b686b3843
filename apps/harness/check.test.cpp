// SPDX-License-Identifier: Apache-2.0
#include "apps/harness/check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace harness {
namespace {

/// A grid in which all cells differ.
struct numbered {
  double cell(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return 1 + double(x) / 8 + double(y) / 64 + double(z) / 1024;
  }
};

std::vector<double> cells_of(const extents& first, const extents& count) {
  std::vector<double> values;
  for (std::int64_t x = 0; x < count[0]; ++x)
    for (std::int64_t y = 0; y < count[1]; ++y)
      for (std::int64_t z = 0; z < count[2]; ++z)
        values.push_back(numbered().cell(first[0] + x, first[1] + y, first[2] + z));
  return values;
}

TEST(harness_check, finds_the_first_cell_that_differs_by_a_bit) {
  comparison compared;
  auto high = cells_of({2, 0, 0}, {2, 3, 5});
  high[7] = std::nextafter(high[7], 2.0);
  compared.add(numbered(), {2, 0, 0}, {2, 3, 5}, high);
  auto low = cells_of({0, 0, 0}, {2, 3, 5});
  low[29] += 0.5;
  compared.add(numbered(), {0, 0, 0}, {2, 3, 5}, low);
  EXPECT_FALSE(compared.equal());
  EXPECT_DOUBLE_EQ(compared.max_abs_error(), 0.5);
  EXPECT_NE(compared.text().find("2 of 60 cells differ"), std::string::npos) << compared.text();
  EXPECT_NE(compared.text().find("the first is (1, 2, 4)"), std::string::npos) << compared.text();
}

TEST(harness_check, counts_what_is_equal) {
  comparison compared;
  compared.add(numbered(), {0, 0, 0}, {4, 3, 5}, cells_of({0, 0, 0}, {4, 3, 5}));
  EXPECT_TRUE(compared.equal());
  EXPECT_EQ(compared.text(), "all 60 cells equal, bit for bit");
}

}  // namespace
}  // namespace harness
