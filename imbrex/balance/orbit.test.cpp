// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/orbit.test.hpp>

#include <gtest/gtest.h>

namespace imbrex::balance {
namespace {

/// bench/balance/orbit.cpp has the large one.
TEST(orbit, is_followed_by_auto_with_few_moves_and_a_small_cut) {
  orbit spot(24, 60, 6, 0.01);
  EXPECT_GE(spot.run(find_strategy("none"), 2).imbalance, 3);
  const orbit::result found = spot.run(find_strategy("auto"), 60);
  EXPECT_LE(found.imbalance, 1.03);
  EXPECT_LE(found.moved, 0.04);
  EXPECT_LE(found.mean_node_cut, 1.1);
}

}  // namespace
}  // namespace imbrex::balance
