// SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <imbrex/device/backends/devices.hpp>
#include <imbrex/error.hpp>

namespace jacobi2d {
namespace {

TEST(jacobi2d, chares_find_what_a_plain_loop_finds) {
  const auto found = imbrex::devices("emulated");
  for (const problem& p :
       {problem{.rows = 37, .width = 64, .sweeps = 30, .blocks_each = 1, .pes = 4, .threads = 1},
        problem{.rows = 37, .width = 20, .sweeps = 25, .blocks_each = 5, .pes = 3, .threads = 2},
        problem{.rows = 9,
                .width = 8,
                .sweeps = 40,
                .blocks_each = 3,
                .pes = 3,
                .threads = 1},  // one row per block
        problem{.rows = 16, .width = 16, .sweeps = 9, .blocks_each = 1, .pes = 1, .threads = 3},
        problem{.rows = 37, .width = 20, .sweeps = 30, .blocks_each = 2, .pes = 2, .threads = 1, .gpus = 2},
        problem{.rows = 50, .width = 24, .sweeps = 21, .blocks_each = 3, .pes = 6, .threads = 2, .gpus = 3},
        problem{.rows = 7, .width = 8, .sweeps = 20, .blocks_each = 1, .pes = 8, .threads = 1, .gpus = 4}}) {
    const solution s = solve(*found.front(), p, variant::resident);
    EXPECT_EQ(s.cells, expected(p)) << p.rows << " rows in " << s.blocks << " blocks";
  }
}

TEST(jacobi2d, rivals_find_the_same) {
  const auto found = imbrex::devices("emulated");
  const problem p{.rows = 12, .width = 16, .sweeps = 7};
  for (const variant how : {variant::sweeps, variant::loop})
    EXPECT_EQ(solve(*found.front(), p, how).cells, expected(p));
}

TEST(jacobi2d, a_loop_that_waits_for_its_neighbours_finds_the_same) {
  const auto found = imbrex::devices("emulated");
  for (const problem& p : {problem{.rows = 12, .width = 16, .sweeps = 7, .threads = 1},
                           problem{.rows = 37, .width = 20, .sweeps = 30, .threads = 2, .gpus = 2},
                           problem{.rows = 9, .width = 8, .sweeps = 40, .threads = 1, .gpus = 5},
                           problem{.rows = 3, .width = 8, .sweeps = 20, .threads = 1, .gpus = 3}}) {
    const solution s = solve(*found.front(), p, variant::waiting);
    EXPECT_EQ(s.blocks, static_cast<int>(p.gpus));
    EXPECT_EQ(s.cells, expected(p)) << p.rows << " rows on " << p.gpus << " GPUs";
  }
}

TEST(jacobi2d, refuses_grids_that_cannot_be) {
  const auto found = imbrex::devices("emulated");
  EXPECT_THROW(solve(*found.front(), {.rows = 8, .width = 10}, variant::resident), imbrex::usage_error);
  EXPECT_THROW(solve(*found.front(), {.rows = 0, .width = 8}, variant::resident), imbrex::usage_error);
}

}  // namespace
}  // namespace jacobi2d
