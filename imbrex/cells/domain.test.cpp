// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/domain.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::cells {
namespace {

using grid::boundaries;
using grid::boundary;

domain<2> mixed() {
  boundaries<2> ends(boundary::periodic);
  ends.set(1, boundary::reflecting);
  return {{0, -1}, {4, 1}, {4, 8}, ends};
}

TEST(domain, knows_its_cells) {
  const auto box = mixed();
  EXPECT_EQ(box.cell_width(), (point<2>{1, 0.25}));
  EXPECT_EQ(box.volume(), 8);
  EXPECT_EQ(box.cell_of({0, -1}), index2(0, 0));
  EXPECT_EQ(box.cell_of({1, -0.75}), index2(1, 1)) << "the lower side of a cell belongs to it";
  EXPECT_EQ(box.cell_of({4, 1}), index2(3, 7));
  EXPECT_EQ(box.cell_of({-100, 100}), index2(0, 7));
}

TEST(domain, brings_back_what_has_left_it) {
  const auto box = mixed();
  const auto after = [&](point<2> p) {
    box.bring_back(p);
    return p;
  };
  EXPECT_EQ(after({4, 0}), (point<2>{0, 0}));
  EXPECT_EQ(after({-0.5, 0}), (point<2>{3.5, 0}));
  EXPECT_EQ(after({13.5, 0}), (point<2>{1.5, 0}));
  EXPECT_EQ(after({-1e-30, 0}), (point<2>{0, 0})) << "what rounding makes the other end";
  EXPECT_EQ(after({1, 1.25}), (point<2>{1, 0.75}));
  EXPECT_EQ(after({1, -1.25}), (point<2>{1, -0.75}));
  EXPECT_EQ(after({1, 3.25}), (point<2>{1, -0.75})) << "twice mirrored";
  point<2> once{1, 1.25}, twice{1, 3.25};
  EXPECT_EQ(box.bring_back(once), 2U);
  EXPECT_EQ(box.bring_back(twice), 0U);
}

TEST(domain, leaves_alone_what_passes_an_open_side) {
  boundaries<2> ends;
  ends.set(side<2>(1), boundary::reflecting);
  const domain<2> box({0, 0}, {1, 1}, {2, 2}, ends);
  point<2> low{-5, 7}, high{1.25, 0};
  EXPECT_EQ(box.bring_back(low), 0U);
  EXPECT_EQ(low, (point<2>{-5, 7}));
  EXPECT_EQ(box.bring_back(high), 1U);
  EXPECT_EQ(high, (point<2>{0.75, 0}));
}

TEST(domain, counts_layers) {
  EXPECT_EQ(mixed().layers(0.5), index2(1, 2));
  EXPECT_EQ(mixed().layers(0), index2(0, 0));
  EXPECT_EQ(mixed().layers(1e-12), index2(1, 1)) << "a cell may be left by the shortest way";
  EXPECT_EQ(mixed().layers(100), index2(100, 8)) << "around, and no more than there are to a wall";
  EXPECT_THROW((void)mixed().layers(-1), error);
  EXPECT_THROW((void)mixed().layers(std::numeric_limits<double>::quiet_NaN()), error);
  EXPECT_THROW((void)mixed().layers(1e9), error);
}

std::string refusal(const point<2>& lower, const point<2>& upper, const index<2>& cells,
                    const boundaries<2>& ends = {}) {
  return testing::error_of<error>([&] { const domain<2> box(lower, upper, cells, ends); });
}

TEST(domain, refuses_what_cannot_be) {
  EXPECT_EQ(
      refusal({0, 2}, {1, 2}, {1, 1}),
      "a domain from (0, 2) to (1, 2) has no length in dimension 1: give finite corners, the lower first");
  EXPECT_EQ(refusal({0, 0}, {1, 2}, {1, 0}),
            "a domain of (1, 0) cells has none in dimension 1: take at least 1");
  boundaries<2> half, function;
  half.set(side<2>(0), boundary::periodic);
  function.set(1, boundary::function);
  EXPECT_EQ(refusal({0, 0}, {1, 2}, {1, 1}, half),
            "dimension 0 of a domain is periodic at one end only: set both ends, by boundaries::set(0, "
            "boundary::periodic)");
  EXPECT_EQ(
      refusal({0, 0}, {1, 2}, {1, 1}, function),
      "dimension 1 of a domain ends in boundary::function, which is for ghost cells of fields: take open, "
      "periodic or reflecting");
}

}  // namespace
}  // namespace imbrex::cells
