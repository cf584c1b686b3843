// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/plan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "apps/harness/memory.hpp"

#include <imbrex/testing/error_of.hpp>

namespace jacobi3d {
namespace {

using imbrex::testing::error_of;

constexpr std::uint64_t plenty = std::numeric_limits<std::uint64_t>::max();

settings asking(const extents& grid, const std::vector<std::int64_t>& odf, int pes) {
  settings setup;
  setup.grid = grid;
  setup.odf = odf;
  setup.machine.pes = pes;
  return setup;
}

std::string refusal(const settings& setup, std::uint64_t available) {
  return error_of<imbrex::usage_error>([&] { plan(setup, available); });
}

TEST(jacobi3d_plan, has_odf_blocks_for_each_pe) {
  const auto configurations = plan(asking({32, 16, 8}, {1, 4}, 2), plenty);
  ASSERT_EQ(configurations.size(), 2U);
  EXPECT_EQ(configurations[0].cut.blocks, (extents{2, 1, 1}));
  EXPECT_EQ(configurations[1].cut.blocks, (extents{4, 2, 1}));
}

TEST(jacobi3d_plan, names_the_numbers_of_what_cannot_be) {
  const std::string many = refusal(asking({2, 2, 2}, {1, 5}, 2), plenty);
  EXPECT_NE(many.find("10 chares"), std::string::npos) << many;
  EXPECT_NE(many.find("8 cells"), std::string::npos) << many;
  const std::string prime = refusal(asking({7, 7, 7}, {11}, 1), plenty);
  EXPECT_NE(prime.find("11 blocks"), std::string::npos) << prime;
  const std::string huge = refusal(asking({2147483647, 2147483647, 2147483647}, {1}, 1), plenty);
  EXPECT_NE(huge.find("2147483647 x 2147483647 x 2147483647"), std::string::npos) << huge;
}

TEST(jacobi3d_plan, compares_the_memory_needed_with_what_there_is) {
  settings setup = asking({64, 64, 64}, {4}, 2);
  const auto needed = std::uint64_t(bytes_of_program(setup, plan(setup, plenty).front().cut));
  EXPECT_GE(needed, 4 * 8 * 64 * 64 * 64U);
  EXPECT_LE(needed, 6 * 8 * 64 * 64 * 64U);
  EXPECT_EQ(refusal(setup, needed + 1), "");
  EXPECT_NE(refusal(setup, needed - 1).find("but " + in_binary_units(double(needed - 1)) + " are available"),
            std::string::npos);
  setup.check = true;
  EXPECT_NE(refusal(setup, needed + 1).find("--check"), std::string::npos);
  EXPECT_NE(refusal(setup, 1000).find("at least 12 MiB"), std::string::npos) << refusal(setup, 1000);
}

TEST(jacobi3d_plan, counts_uneven_blocks_one_by_one) {
  const decomposition cut = minimal_surface({17, 9, 23}, 12);
  double fields = 0;
  for (std::int64_t x = 0; x < cut.blocks[0]; ++x)
    for (std::int64_t y = 0; y < cut.blocks[1]; ++y)
      for (std::int64_t z = 0; z < cut.blocks[2]; ++z)
        fields += double(block_field::bytes(cut.cells({x, y, z})));
  EXPECT_GT(bytes_of_blocks(cut), fields);
  EXPECT_LT(bytes_of_blocks(cut), fields + 12 * 4096);
}

TEST(jacobi3d_plan, counts_no_memory_between_rows_of_whole_lines) {
  EXPECT_EQ(block_field::bytes({64, 64, 64}), 8 * (2 * 64 * 64 * 64 + 2 * 6 * 64 * 64));
  EXPECT_EQ(block_field::bytes({64, 64, 57}), block_field::bytes({64, 64, 64}));
}

TEST(jacobi3d_memory, tells_a_number_and_its_unit) {
  EXPECT_GT(available_memory(), std::uint64_t(1) << 20);
  EXPECT_EQ(in_binary_units(512), "512 B");
  EXPECT_EQ(in_binary_units(1.5 * 1024 * 1024), "1.5 MiB");
}

}  // namespace
}  // namespace jacobi3d
