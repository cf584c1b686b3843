// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/decomposition.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::grid {
namespace {

using testing::error_of;

template <int N>
void expect_each_cell_in_one_block(const decomposition<N>& cut) {
  std::uint64_t cells = 0;
  for (const auto& block : indices(cut.shape())) {
    const box<N> its = cut[block];
    cells += its.size();
    for (int d = 0; d < N; ++d) EXPECT_GE(its.extents[d], cut.least()[d]);
    for (const auto& cell : its) EXPECT_EQ(cut.block_of(cell), block) << to_string(cell);
  }
  EXPECT_EQ(cells, indices(cut.extents()).size());
}

TEST(grid_decomposition, cuts_in_equal_parts) {
  const decomposition<2> cut({11, 6}, {4, 3});
  EXPECT_EQ(cut.extents(), index2(11, 6));
  EXPECT_EQ(cut.shape(), index2(4, 3));
  EXPECT_EQ(cut.least(), index2(2, 2));
  EXPECT_EQ((cut[{0, 0}]), (box<2>{{0, 0}, {3, 2}}));
  EXPECT_EQ((cut[{3, 1}]), (box<2>{{9, 2}, {2, 2}}));
  expect_each_cell_in_one_block(cut);
  expect_each_cell_in_one_block(decomposition<3>({7, 1, 4}, {7, 1, 3}));
  expect_each_cell_in_one_block(decomposition<1>({5}, {1}));
  // The start of no block overflows an int.
  EXPECT_EQ((decomposition<1>({2147483647}, {3})[{2}]), (box<1>{{1431655765}, {715827882}}));
}

TEST(grid_decomposition, cuts_in_parts_of_given_lengths) {
  const decomposition<2> cut({{{3, 1, 4}, {1, 5}}});
  EXPECT_EQ(cut.extents(), index2(8, 6));
  EXPECT_EQ(cut.shape(), index2(3, 2));
  EXPECT_EQ(cut.least(), index2(1, 1));
  EXPECT_EQ((cut[{2, 1}]), (box<2>{{4, 1}, {4, 5}}));
  expect_each_cell_in_one_block(cut);
  EXPECT_EQ(decomposition<1>({{{2, 2, 1}}}), decomposition<1>({5}, {3}));
}

TEST(grid_decomposition, travels) {
  const decomposition<2> cut({{{3, 1, 4}, {1, 5}}});
  writer out;
  out(cut);
  decomposition<2> same;
  reader in(out.written());
  in(same);
  EXPECT_EQ(same, cut);
  EXPECT_EQ(decomposition<2>().shape(), index2());
}

TEST(grid_decomposition, refuses_what_cannot_be) {
  EXPECT_EQ(error_of<error>([] { decomposition<2>({8, 2}, {2, 3}); }),
            "a grid of the extents (8, 2) cannot be cut into (2, 3) blocks: dimension 1 needs one block or "
            "more, each of "
            "one cell or more");
  EXPECT_EQ(error_of<error>([] { decomposition<1>({8}, {0}); }),
            "a grid of the extents 8 cannot be cut into 0 blocks: dimension 0 needs one block or more, each "
            "of one cell "
            "or more");
  EXPECT_EQ(error_of<error>([] { decomposition<2>({{{3}, {2, 0}}}); }),
            "the blocks of dimension 1 cannot have the lengths {2, 0}: give one or more, each 1 or more, of "
            "2147483647 cells together at most");
  EXPECT_NE(error_of<error>([] { decomposition<2>({{{3}, {}}}); }).find("cannot have the lengths {}"),
            std::string::npos);
  EXPECT_NE(error_of<error>([] { decomposition<1>({{{2147483647, 1}}}); }).find("{2147483647, 1}"),
            std::string::npos);
  const decomposition<2> cut({8, 6}, {2, 3});
  EXPECT_EQ(error_of<error>([&] { cut[{2, 0}]; }), "the grid has no block (2, 0): it is cut into (2, 3)");
  EXPECT_EQ(error_of<error>([&] { cut.block_of({0, 6}); }),
            "the grid has no cell (0, 6): its extents are (8, 6)");
}

}  // namespace
}  // namespace imbrex::grid
