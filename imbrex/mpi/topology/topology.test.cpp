// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/topology/cartesian.hpp>
#include <imbrex/mpi/topology/dimensions.hpp>
#include <imbrex/mpi/topology/graph.hpp>

namespace {

using namespace imbrex::mpi;
using numbers = std::vector<int>;

int class_of(auto&& call) {
  try {
    call();
  } catch (const error& e) {
    return e.code();
  }
  return MPI_SUCCESS;
}

numbers balanced(int places, numbers dimensions) {
  balance_dimensions(places, dimensions);
  return dimensions;
}

TEST(dimensions, are_as_equal_as_can_be) {
  EXPECT_EQ(balanced(6, {0, 0}), (numbers{3, 2}));
  EXPECT_EQ(balanced(7, {0, 0}), (numbers{7, 1}));
  EXPECT_EQ(balanced(6, {0, 3, 0}), (numbers{2, 3, 1}));
  EXPECT_EQ(balanced(16, {0, 0, 0}), (numbers{4, 2, 2}));
  EXPECT_EQ(balanced(36, {0, 0, 0}), (numbers{4, 3, 3}));
  EXPECT_EQ(balanced(1, {0, 0}), (numbers{1, 1}));
  EXPECT_EQ(balanced(1 << 20, {0, 0, 0, 0, 0}), (numbers{16, 16, 16, 16, 16}));
  EXPECT_EQ(balanced(2310, {0, 0, 0, 0, 0}), (numbers{11, 7, 5, 3, 2}));
  EXPECT_EQ(balanced(720720, {0, 0, 0}), (numbers{91, 90, 88}));
  EXPECT_EQ(balanced(12, {3, 4}), (numbers{3, 4}));
  EXPECT_EQ(balanced(5040, {0, 0, 0}), (numbers{21, 16, 15}));
  EXPECT_EQ(balanced(7488, {0, 0, 0}), (numbers{26, 18, 16}));
  EXPECT_EQ(balanced(66096, {0, 0, 0, 0, 0}), (numbers{17, 9, 9, 8, 6}));
  EXPECT_EQ(balanced(2147483647, {0, 0, 0}), (numbers{2147483647, 1, 1}));
}

TEST(dimensions, are_refused_if_they_do_not_divide) {
  EXPECT_EQ(class_of([] { balanced(7, {0, 3}); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_of([] { balanced(6, {-1, 0}); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_of([] { balanced(6, {2, 2}); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_of([] { balanced(0, {0}); }), MPI_ERR_ARG);
}

TEST(cartesian, numbers_the_last_dimension_fastest) {
  const cartesian grid({2, 3, 4}, {false, false, false});
  EXPECT_EQ(grid.places(), 24);
  EXPECT_EQ(grid.rank_of(numbers{1, 2, 3}), 23);
  EXPECT_EQ(grid.rank_of(numbers{1, 0, 0}), 12);
  for (int rank = 0; rank < 24; ++rank) EXPECT_EQ(grid.rank_of(grid.coordinates_of(rank)), rank);
}

TEST(cartesian, goes_round_where_it_is_periodic) {
  const cartesian grid({3, 4}, {true, false});
  EXPECT_EQ(grid.rank_of(numbers{-1, 2}), grid.rank_of(numbers{2, 2}));
  EXPECT_EQ(grid.rank_of(numbers{7, 2}), grid.rank_of(numbers{1, 2}));
  EXPECT_EQ(class_of([&] { grid.rank_of(numbers{0, 4}); }), MPI_ERR_RANK);
  EXPECT_EQ(grid.shift(0, 0, 1), std::pair(8, 4));
  EXPECT_EQ(grid.shift(0, 1, 1), std::pair(MPI_PROC_NULL, 1));
  EXPECT_EQ(grid.shift(3, 1, -2), std::pair(MPI_PROC_NULL, 1));
  EXPECT_EQ(grid.shift(5, 0, 0), std::pair(5, 5));
  EXPECT_EQ(class_of([&] { grid.shift(0, 2, 1); }), MPI_ERR_ARG);
  EXPECT_EQ(grid.neighbours(0), (numbers{8, 4, MPI_PROC_NULL, 1}));
}

TEST(cartesian, gives_the_members_of_a_node_neighbouring_places) {
  const cartesian grid({2, 8}, {false, false});
  numbers nodes;
  for (int m = 0; m < 16; ++m) nodes.push_back(m / 8);
  const numbers halves{0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15};
  EXPECT_EQ(grid.members_by_place(nodes), halves);

  numbers dealt;  // members 0, 2, ... on node 1
  for (int m = 0; m < 16; ++m) dealt.push_back(1 - m % 2);
  numbers expected;
  for (const int m : halves) expected.push_back(m < 8 ? 2 * m + 1 : 2 * (m - 8));
  EXPECT_EQ(grid.members_by_place(dealt), expected);
}

TEST(cartesian, leaves_members_at_their_places_where_no_box_is_better) {
  numbers own(12);
  std::iota(own.begin(), own.end(), 0);
  const numbers one_node(12, 3);
  numbers nodes;
  for (int m = 0; m < 12; ++m) nodes.push_back(m / 6);
  EXPECT_EQ(cartesian({3, 4}, {false, true}).members_by_place(one_node), own);
  EXPECT_EQ(cartesian({4, 3}, {false, false}).members_by_place(nodes), own);
  EXPECT_EQ(cartesian({12}, {false}).members_by_place(nodes), own);
}

TEST(cartesian, is_parted_into_grids) {
  const cartesian grid({2, 3, 4}, {true, false, true});
  const std::vector<bool> kept{true, false, true};
  const cartesian part = grid.part(kept);
  EXPECT_EQ(part.lengths(), (numbers{2, 4}));
  EXPECT_TRUE(part.is_periodic(1));
  std::set<std::pair<int, int>> places;
  for (int rank = 0; rank < 24; ++rank) {
    const auto [which, place] = grid.place_in_part(rank, kept);
    EXPECT_EQ(which, grid.coordinates_of(rank)[1]);
    EXPECT_LT(place, 8);
    places.insert({which, place});
  }
  EXPECT_EQ(places.size(), 24U);
  EXPECT_EQ(grid.part({false, false, false}).places(), 1);
}

TEST(cartesian, refuses_grids_that_cannot_be) {
  EXPECT_EQ(class_of([] { cartesian({2, 0}, {false, false}); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_of([] { cartesian({1 << 20, 1 << 20}, {false, false}); }), MPI_ERR_DIMS);
}

TEST(graph, knows_the_neighbours_of_each_rank) {
  const graph g({2, 3, 3, 6}, {1, 3, 0, 0, 2, 2});
  const auto neighbours = [&](int rank) {
    const auto n = g.neighbours(rank);
    return numbers(n.begin(), n.end());
  };
  EXPECT_EQ(neighbours(0), (numbers{1, 3}));
  EXPECT_EQ(neighbours(1), (numbers{0}));
  EXPECT_EQ(neighbours(2), numbers{});
  EXPECT_EQ(neighbours(3), (numbers{0, 2, 2}));
  EXPECT_EQ(class_of([&] { (void)g.neighbours(4); }), MPI_ERR_RANK);
  EXPECT_EQ(class_of([] { graph({2, 1}, {0, 0}); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([] { graph({1}, {5}); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([] { graph({3}, {0}); }), MPI_ERR_ARG);
}

}  // namespace
