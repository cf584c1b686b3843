// SPDX-License-Identifier: Apache-2.0
#include <imbrex/io/layout.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::io::detail {
namespace {

using imbrex::testing::error_of;

TEST(layout, of_blocks_adds_up_the_rows) {
  std::vector<element_part> parts;
  for (std::uint64_t i = 0; i < 2; ++i)
    for (std::uint64_t j = 0; j < 3; ++j) parts.push_back({{i, j}, {4 + i, 2 + j}});
  const layout all = layout::of_blocks("heat", {2, 3}, parts);
  EXPECT_EQ(all.extents(), (lengths{9, 9}));
  EXPECT_EQ(all.box_of({1, 2}).first, (lengths{4, 5}));
  EXPECT_EQ(all.box_of({1, 2}).count, (lengths{5, 4}));
}

TEST(layout, of_blocks_refuses_blocks_that_do_not_fit) {
  const std::vector<element_part> parts{{{0, 0}, {4, 2}}, {{0, 1}, {5, 2}}};
  EXPECT_EQ(
      error_of<error>([&] { layout::of_blocks("heat", {1, 2}, parts); }),
      "the data set heat is cut by planes, but the block of element (0, 1) has 5 cells in dimension 0, and "
      "another of its row 4");
  EXPECT_EQ(error_of<error>([&] { layout::of_blocks("heat", {1, 3}, parts); }),
            "the data set heat needs all elements of the array: it has 2 of 3");
}

TEST(layout, in_a_row_is_in_the_order_of_the_elements) {
  const layout all =
      layout::in_a_row("x", {2, 2}, {{{1, 1}, {7}}, {{0, 1}, {0}}, {{1, 0}, {2}}, {{0, 0}, {3}}});
  EXPECT_EQ(all.starts(0), (std::vector<std::uint64_t>{0, 3, 3, 5, 12}));
  EXPECT_EQ(all.box_of({1, 0}).first, lengths{3});
  EXPECT_EQ(all.box_of({1, 0}).count, lengths{2});
}

TEST(layout, equal_parts_differ_by_one) {
  EXPECT_EQ(layout::equal_parts({4}, 10).starts(0), (std::vector<std::uint64_t>{0, 3, 6, 8, 10}));
  EXPECT_EQ(layout::equal_parts({3}, 1).starts(0), (std::vector<std::uint64_t>{0, 1, 1, 1}));
}

}  // namespace
}  // namespace imbrex::io::detail
