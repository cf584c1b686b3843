// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <imbrex/error.hpp>
#include <imbrex/testing/error_of.hpp>

#include "apps/minimd/block.hpp"

namespace minimd {
namespace {

using imbrex::testing::error_of;

std::string refusal(const settings& setup) {
  return error_of<imbrex::usage_error>([&] { check_memory(setup, std::uint64_t(8) << 30); });
}

TEST(memory, is_enough_for_what_is_meant) {
  settings setup;
  setup.parameters.what.lattice = {100, 100, 100};
  EXPECT_EQ(refusal(setup), "");
}

TEST(memory, is_not_enough_for_sizes_that_cannot_be_meant) {
  settings large, far, dense;
  large.parameters.what.lattice = {100'000, 100'000, 100'000};
  EXPECT_EQ(
      refusal(large),
      "100000 x 100000 x 100000 unit cells with 4000000000000000 atoms, which have about 77.6 neighbours "
      "within the cut-off 2.5 and the skin 0.3, need at least 1.702 EiB of memory, but 8 GiB are "
      "available; choose fewer unit cells, or a shorter cut-off or skin");
  large.processes = 1000;
  EXPECT_NE(refusal(large).find(" of memory in each process, but 8 GiB are available"), std::string::npos);
  far.parameters.what.skin = 1e300;
  EXPECT_NE(refusal(far), "");
  dense.parameters.what.cell = unit_cell::of_density(1e100);
  EXPECT_NE(refusal(dense), "");
}

// Cells narrower than the lattice would be empty, and too many for any memory.
TEST(memory, is_not_taken_by_cells_without_atoms) {
  problem thin, near;
  thin.lattice = near.lattice = {5, 6, 7};
  thin.cell = unit_cell::of_density(1e-60);
  near.cutoff = 1e-30;
  near.skin = 0;
  for (const problem& what : {thin, near}) EXPECT_EQ(box_of(what).cells(), imbrex::index3(10, 12, 14));
}

}  // namespace
}  // namespace minimd
