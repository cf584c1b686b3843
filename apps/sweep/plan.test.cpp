// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/plan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include <imbrex/testing/error_of.hpp>

namespace sweep {
namespace {

using imbrex::testing::error_of;

constexpr auto plenty = std::numeric_limits<std::uint64_t>::max();

settings asking(const extents& grid, std::vector<std::int64_t> odf) {
  settings setup;
  setup.machine.pes = 2;
  setup.posed.grid = grid;
  setup.odf = std::move(odf);
  return setup;
}

std::string refusal(const settings& setup, std::uint64_t available = plenty) {
  return error_of<imbrex::usage_error>([&] { plan(setup, available); });
}

TEST(sweep_plan, columns_are_as_square_as_the_grid_allows) {
  EXPECT_EQ(squarest({64, 64, 8}, 16).blocks, (extents{4, 4, 1}));
  EXPECT_EQ(squarest({64, 64, 8}, 8).blocks, (extents{4, 2, 1}));
  EXPECT_EQ(squarest({128, 32, 1}, 16).blocks, (extents{8, 2, 1}));
  EXPECT_EQ(squarest({3, 100, 1}, 10).blocks, (extents{1, 10, 1}));
  EXPECT_THROW(squarest({3, 3, 64}, 10), std::invalid_argument);
  EXPECT_THROW(squarest({3, 3, 64}, 5), std::invalid_argument);
}

TEST(sweep_plan, has_a_configuration_for_each_factor_or_the_one_that_was_asked_for) {
  settings setup = asking({12, 8, 4}, {1, 3, 4});
  const auto by_factor = plan(setup, plenty);
  ASSERT_EQ(by_factor.size(), 3U);
  EXPECT_EQ(by_factor[1].odf, 3);
  EXPECT_EQ(by_factor[1].cut.blocks, (extents{3, 2, 1}));
  setup.chares = {3, 1};
  const auto configurations = plan(setup, plenty);
  ASSERT_EQ(configurations.size(), 1U);
  EXPECT_EQ(configurations[0].odf, 1.5);
  EXPECT_EQ(configurations[0].cut.blocks, (extents{3, 1, 1}));
}

TEST(sweep_plan, refuses_with_the_numbers) {
  EXPECT_EQ(
      refusal(asking({2, 2, 9}, {3})),
      "--odf 3 with --pes 2: the grid's 2 x 2 cells in x and y cannot be cut into 6 columns: no product "
      "of two numbers within these is 6; choose another --odf, --pes or --grid");
  settings setup = asking({4, 3, 9}, {1});
  setup.chares = {4, 4};
  EXPECT_EQ(refusal(setup),
            "--chares '4,4': the grid has 4 x 3 cells in x and y; choose no more chares than cells");
}

TEST(sweep_plan, refuses_what_does_not_fit_into_memory) {
  settings setup = asking({100, 100, 100}, {1});
  EXPECT_EQ(refusal(setup, 30'000'000), "");
  setup.check = true;
  EXPECT_NE(refusal(setup, 30'000'000).find("choose a smaller --grid or leave out --check"),
            std::string::npos);
  setup = asking({2147483647, 2147483647, 2147483647}, {1});
  EXPECT_NE(refusal(setup).find("but 16 EiB are available; choose a smaller --grid"), std::string::npos);
}

}  // namespace
}  // namespace sweep
