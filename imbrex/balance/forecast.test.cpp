// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/forecast.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace imbrex::balance {
namespace {

using loads = std::vector<double>;

TEST(forecast, expects_no_change_until_it_knows_better) {
  forecast f;
  EXPECT_TRUE(f.expected().empty());
  f.add(loads{1, 5});
  EXPECT_EQ(f.expected(), (loads{1, 5}));
  f.add(loads{2, 3});
  EXPECT_EQ(f.expected(), (loads{2, 3}));
  f.add(loads{3, 1});  // as a change that goes on predicts
  EXPECT_TRUE(f.extrapolates());
  EXPECT_EQ(f.expected(), (loads{4, 0}));
}

TEST(forecast, does_not_extrapolate_loads_that_alternate) {
  forecast f;
  for (int i = 0; i < 10; ++i) f.add(loads{i % 2 == 0 ? 1.0 : 3.0});
  EXPECT_FALSE(f.extrapolates());
  EXPECT_EQ(f.expected(), loads{3});
}

TEST(forecast, changes_its_mind_within_some_periods) {
  forecast f;
  for (int i = 0; i < 20; ++i) f.add(loads{i + 1.0});
  EXPECT_TRUE(f.extrapolates());
  for (int i = 0; i < 8; ++i) f.add(loads{i % 2 == 0 ? 1.0 : 20.0});
  EXPECT_FALSE(f.extrapolates());
}

TEST(forecast, starts_again_with_other_objects) {
  forecast f;
  for (int i = 0; i < 5; ++i) f.add(loads{i + 1.0});
  f.add(loads{7, 8});
  EXPECT_FALSE(f.extrapolates());
  EXPECT_EQ(f.expected(), (loads{7, 8}));
}

}  // namespace
}  // namespace imbrex::balance
