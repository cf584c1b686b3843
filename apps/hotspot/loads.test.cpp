// SPDX-License-Identifier: Apache-2.0
#include "apps/hotspot/loads.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace hotspot;

TEST(hotspot_loads, lie_between_one_and_nine) {
  for (const motion how : {motion::orbit, motion::alternate, motion::drift, motion::jump, motion::none}) {
    double least = 9, greatest = 0;
    for (int step = 0; step < 50; ++step)
      for (int x = 0; x < 16; ++x)
        for (int y = 0; y < 16; ++y) {
          const double load = load_of(how, {x, y, 5}, {16, 16, 16}, step);
          least = std::min(least, load);
          greatest = std::max(greatest, load);
        }
    EXPECT_GE(least, 1);
    EXPECT_LE(greatest, 9);
    EXPECT_EQ(greatest > 5, how != motion::none);
  }
}

TEST(hotspot_loads, have_a_best_packing_between_the_mean_and_one_cell_more) {
  for (const int pes : {1, 3, 7, 64}) {
    const bounds sums = bounds_of(motion::orbit, {4, 4, 4}, 5, pes);
    EXPECT_GE(sums.best, sums.mean * (1 - 1e-12));
    EXPECT_LE(sums.best, sums.mean + 5 * 9.0);
  }
  const bounds one = bounds_of(motion::none, {3, 3, 3}, 4, 27);
  EXPECT_DOUBLE_EQ(one.mean, 4);
  EXPECT_DOUBLE_EQ(one.best, 4);
}

}  // namespace
