// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/field.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::grid {
namespace {

using testing::error_of;

TEST(grid_field, has_each_cell_and_each_ghost_once) {
  field<int, 3> f({3, 4, 5}, {1, 0, 2}, 7);
  EXPECT_EQ(f.rank(), 3);
  EXPECT_EQ(f.extents(), index3(3, 4, 5));
  EXPECT_EQ(f.extent(1), 4);
  EXPECT_EQ(f.width(), index3(1, 0, 2));
  EXPECT_EQ(f.size(), 60U);
  const box<3> all = f.cells_with_ghosts();
  EXPECT_EQ(all, (box<3>{{-1, 0, -2}, {5, 4, 9}}));
  int number = 0;
  std::set<const int*> places;
  for (const auto& i : all) {
    EXPECT_EQ(f[i], 7) << to_string(i);
    f[i] = ++number;
    places.insert(&f[i]);
  }
  EXPECT_EQ(places.size(), all.size());
  number = 0;
  for (const auto [i, j, k] : all) EXPECT_EQ(f(i, j, k), ++number);
}

TEST(grid_field, is_row_major_and_begins_each_row_at_a_cache_line) {
  const auto check = []<class T>(const T&) {
    for (const int n : {1, 5, 8, 30}) {
      for (const int width : {0, 1, 3, 9}) {
        field<T, 2> f({4, n}, width);
        EXPECT_EQ(f.stride(1), 1);
        EXPECT_GE(f.stride(0), n + 2 * width);
        for (int i = -width; i < 4 + width; ++i)
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&f[{i, 0}]) % 64, 0U) << n << ' ' << width << ' ' << i;
        EXPECT_EQ(f.data_handle(), &f(0, 0));
        EXPECT_EQ(&f(2, n - 1), f.data_handle() + f.mapping()(2, n - 1));
      }
    }
  };
  check(double());
  check(float());
  check(std::uint8_t());
}

TEST(grid_field, takes_cells_of_any_size) {
  struct three {
    float a, b, c;
  };
  field<three, 1> f({5}, {2}, three{1, 2, 3});
  f(-2).a = 4;
  f(6).c = 5;
  EXPECT_EQ(f(-2).a, 4);
  EXPECT_EQ(f(0).b, 2);
  EXPECT_EQ(f(6).c, 5);
  field<double, 4> four({2, 1, 3, 2}, 1, 0.5);
  four(-1, 1, 3, 2) = 2;
  EXPECT_EQ(four(-1, 1, 3, 2), 2);
  EXPECT_EQ(four(2, -1, -1, -1), 0.5);
}

TEST(grid_field, shows_its_parts_without_copying_them) {
  field<int, 3> f({3, 4, 5}, 2, 0);
  f.interior().fill(1);
  for (const auto& i : f.cells_with_ghosts()) EXPECT_EQ(f[i], f.cells().contains(i) ? 1 : 0);

  // Each ghost lies beyond one side.
  for (int s = 0; s < side<3>::count; ++s) {
    const auto ghost_cells = f.ghosts(side<3>(s));
    for (const auto& i : indices(ghost_cells.extents())) ++ghost_cells[i];
  }
  for (const auto& i : f.cells_with_ghosts()) EXPECT_EQ(f[i], 1) << to_string(i);
  const auto corner = f.ghosts(side<3>(side<3>::count - 1));
  EXPECT_EQ(corner.extents(), index3(2, 2, 2));
  EXPECT_EQ(&corner(0, 0, 0), &f(3, 4, 5));

  const auto upper = f.border(side<3>(3));
  EXPECT_EQ(upper.extents(), index3(3, 2, 5));
  EXPECT_EQ(&upper(1, 0, 4), &f(1, 2, 4));
  EXPECT_EQ(upper.stride(0), f.stride(0));

  const field<int, 3>& unchanged = f;
  const view<const int, 3> shown = unchanged.border(side<3>(0));
  EXPECT_EQ(&shown(1, 2, 3), &f(1, 2, 3));
  const view<const int, 3> converted = f.interior();
  EXPECT_EQ(converted.data_handle(), f.data_handle());
  EXPECT_EQ(&f.interior().part({{1, 1, 1}, {2, 2, 2}})(1, 0, 1), &f(2, 1, 2));
}

TEST(grid_field, knows_which_parts_are_one_piece_of_memory) {
  field<double, 3> f({4, 4, 8}, 0);
  EXPECT_TRUE(f.interior().is_exhaustive());
  EXPECT_EQ(f.interior().span().size(), 128U);
  EXPECT_TRUE(f.part({{1, 0, 0}, {2, 4, 8}}).is_exhaustive());
  EXPECT_TRUE(f.part({{1, 2, 3}, {1, 1, 4}}).is_exhaustive());
  EXPECT_FALSE(f.part({{0, 1, 0}, {2, 2, 8}}).is_exhaustive());
  EXPECT_FALSE(f.part({{0, 0, 0}, {1, 2, 7}}).is_exhaustive());
  EXPECT_EQ(f.part({{0, 0, 0}, {1, 2, 7}}).mapping().required_span_size(), 15U);
  EXPECT_EQ(f.part({{0, 0, 0}, {1, 0, 7}}).mapping().required_span_size(), 0U);
  field<double, 3> g({4, 4, 8}, 1);
  EXPECT_FALSE(g.interior().is_exhaustive());
  EXPECT_EQ(g.part({{2, 3, -1}, {1, 1, 10}}).span().data(), &g(2, 3, -1));
}

TEST(grid_field, is_a_value) {
  field<int, 2> f({2, 3}, 1, 4);
  f(-1, -1) = 9;
  field<int, 2> copy = f;
  f(-1, -1) = 8;
  f(1, 2) = 8;
  EXPECT_EQ(copy(-1, -1), 9);
  EXPECT_EQ(copy(1, 2), 4);
  const int* const place = copy.data_handle();
  field<int, 2> moved = std::move(copy);
  EXPECT_EQ(moved.data_handle(), place);
  EXPECT_TRUE(copy.empty());  // NOLINT: checks the state of a moved-from field
  EXPECT_EQ(copy.extents(), index2());
  swap(moved, f);
  EXPECT_EQ(f.data_handle(), place);
  f = field<int, 2>();
  EXPECT_TRUE(f.empty());
  const field<int, 2> copy_of_none = f;
  EXPECT_TRUE(copy_of_none.empty());
}

TEST(grid_field, travels_with_its_ghosts) {
  field<double, 2> f({3, 4}, {2, 1});
  double value = 0;
  for (const auto& i : f.cells_with_ghosts()) f[i] = ++value;
  writer out;
  out(f, field<double, 2>());
  field<double, 2> g({7, 7}), none({1, 1});
  reader in(out.written());
  in(g, none);
  in.finish();
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(g.extents(), f.extents());
  EXPECT_EQ(g.width(), f.width());
  for (const auto& i : f.cells_with_ghosts()) EXPECT_EQ(g[i], f[i]);

  for (std::size_t bytes = 0; bytes < out.size(); ++bytes) {
    reader cut(out.written().first(bytes));
    field<double, 2> of_part, other;
    EXPECT_ANY_THROW(cut(of_part, other)) << bytes;
  }
  writer much;
  much(index2(1 << 15, 1 << 15), index2(1, 1));
  reader lie(much.written());
  EXPECT_THROW(lie(g), serial_error);
}

TEST(grid_field, refuses_what_cannot_be) {
  using line = field<double, 1>;
  using plane = field<double, 2>;
  EXPECT_EQ(error_of<error>([] { plane({3, 0}); }),
            "a field cannot have the extents (3, 0): each must be 1 or more");
  EXPECT_EQ(error_of<error>([] { plane({3, 2}, {1, -1}); }),
            "a field cannot have ghost layers of the widths (1, -1): each must be 0 or more");
  EXPECT_EQ(error_of<error>([] { line(-1); }),
            "a field cannot have the extents (-1): each must be 1 or more");
  EXPECT_EQ(error_of<error>([] { field<double, 3>({1 << 30, 1 << 30, 1 << 30}, 0); }),
            "a field of the extents (1073741824, 1073741824, 1073741824) with ghost layers of the widths (0, "
            "0, 0) has "
            "more bytes than memory can have: cut the grid into more blocks");
  plane narrow({2, 5}, 3);
  EXPECT_EQ(error_of<error>([&] { narrow.border(side<2>(1)); }),
            "a block of the extents (2, 5) has fewer cells in dimension 0 than ghost layers, whose widths "
            "are (3, 3): "
            "take fewer blocks or fewer layers");
  EXPECT_EQ(narrow.border(side<2>(2)).extents(), index2(2, 3));
}

TEST(grid_box, is_a_range_of_its_cells) {
  const box<2> b{{-1, 4}, {2, 3}};
  std::vector<index2> cells(b.begin(), b.end());
  EXPECT_EQ(cells, (std::vector<index2>{{-1, 4}, {-1, 5}, {-1, 6}, {0, 4}, {0, 5}, {0, 6}}));
  EXPECT_EQ(b.size(), 6U);
  EXPECT_TRUE(b.contains({0, 6}));
  EXPECT_FALSE(b.contains({0, 3}));
  EXPECT_TRUE((box<2>{{0, 0}, {0, 5}}).empty());
}

TEST(grid_box, is_its_inner_cells_and_its_rim) {
  random dice(5);
  for (int n = 0; n < 200; ++n) {
    box<3> all;
    index3 width;
    for (int d = 0; d < 3; ++d) {
      all.origin[d] = static_cast<int>(dice.below(9)) - 4;
      all.extents[d] = 1 + static_cast<int>(dice.below(6));
      width[d] = static_cast<int>(dice.below(4));
    }
    std::vector<index3> found;
    const box<3> within = inner(all, width);
    for (const auto& i : within) {
      for (int d = 0; d < 3; ++d) {
        EXPECT_GE(i[d], all.origin[d] + width[d]);
        EXPECT_LT(i[d], all.origin[d] + all.extents[d] - width[d]);
      }
      found.push_back(i);
    }
    const auto others = rim(all, width);
    EXPECT_LE(others.size(), 6U);
    for (const auto& part : others) found.insert(found.end(), part.begin(), part.end());
    std::ranges::sort(found);
    EXPECT_EQ(found, std::vector<index3>(all.begin(), all.end()));
  }
}

}  // namespace
}  // namespace imbrex::grid
