// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/quality.hpp>

#include <gtest/gtest.h>

#include <vector>

#include <imbrex/balance/snapshot.hpp>

namespace imbrex::balance {
namespace {

TEST(quality, counts_loads_moves_and_cuts) {
  snapshot s;
  s.pes = 4;
  s.node = {0, 0, 1, 1};
  s.device = {0, 0, 1, -1};
  s.speed = {1, 1, 1, 2};
  s.pe = {0, 0, 1, 2, 3};
  s.load = {1, 2, 3, 4, 10};
  s.device_load = {1, 0, 1, 1, 0};
  s.bytes = {5, 6, 7, 8, 9};
  s.first_edge = {0, 2, 3, 3, 4, 4};
  s.edge_to = {1, 2, 3, 4};
  s.edge_bytes = {10, 20, 30, 40};
  const quality stay = quality_of(s.view(), s.pe);
  EXPECT_DOUBLE_EQ(stay.after.pes, 5 / (20 / 5.0));
  EXPECT_DOUBLE_EQ(stay.after.nodes, (14 / 3.0) / 4);
  EXPECT_DOUBLE_EQ(stay.after.devices, 2 / 1.5);
  EXPECT_EQ(stay.moved, 0);
  EXPECT_DOUBLE_EQ(stay.cut, 0.9);
  EXPECT_DOUBLE_EQ(stay.node_cut, 0.3);
  const quality moved = quality_of(s.view(), std::vector{0, 0, 0, 0, 1});
  EXPECT_DOUBLE_EQ(moved.after.pes, 10 / 4.0);
  EXPECT_DOUBLE_EQ(moved.moved, 0.6);
  EXPECT_EQ(moved.bytes, 24U);
  EXPECT_DOUBLE_EQ(moved.cut, 0.4);
  EXPECT_EQ(moved.node_cut, 0);
}

TEST(quality, is_perfect_without_loads) {
  snapshot s;
  s.pes = 2;
  const quality none = quality_of(s.view(), {});
  EXPECT_EQ(none.after.pes, 1);
  EXPECT_EQ(none.moved, 0);
  EXPECT_EQ(none.cut, 0);
}

}  // namespace
}  // namespace imbrex::balance
