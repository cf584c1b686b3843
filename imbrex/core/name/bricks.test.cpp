// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/name/bricks.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/name/placement.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::bricks_test {

using detail::brick_lengths;
using detail::bricked_shape;
using detail::count_cut_faces;
using detail::lengths_of_bricks;

std::vector<int> equal_nodes(int nodes, int pes_of_node) {
  std::vector<int> starts;
  for (int n = 0; n < nodes; ++n) starts.push_back(n * pes_of_node);
  return starts;
}

struct cut_bytes {
  double index_order = 0, bricks = 0;
};

/// The bytes between nodes, for blocks whose faces across dimension d have `bytes[d]`.
template <int N>
cut_bytes bytes_between_nodes(const index<N>& shape, int nodes, int pes_of_node,
                              const std::vector<double>& bytes) {
  const int pes = nodes * pes_of_node;
  const auto cut = detail::cut_into_bricks(shape, pes, equal_nodes(nodes, pes_of_node));
  cut_bytes all;
  const auto node = [&]<class Placement>(const index<N>& i, Placement) {
    return detail::home_of<index<N>, Placement>(detail::linear(shape, i), cut, pes) / pes_of_node;
  };
  for (std::uint64_t l = 0; l < detail::volume(shape); ++l) {
    const index<N> here = detail::from_linear(shape, l);
    for (int d = 0; d < N; ++d) {
      index<N> next = here;
      if (++next[d] == shape[d]) continue;
      if (node(here, in_blocks) != node(next, in_blocks))
        all.index_order += bytes[static_cast<std::size_t>(d)];
      if (node(here, in_bricks) != node(next, in_bricks)) all.bricks += bytes[static_cast<std::size_t>(d)];
    }
  }
  return all;
}

// Nodes of six PEs with two blocks each, on a cube of cells. A node's twelve blocks are a cube of cells: no
// box has less surface.
TEST(bricks, leave_about_half_of_the_bytes_between_nodes) {
  const auto eight = bytes_between_nodes(index<3>(6, 4, 4), 8, 6, {9, 6, 6});
  EXPECT_LE(eight.bricks, 0.5 * eight.index_order);
  const auto many = bytes_between_nodes(index<3>(24, 16, 16), 512, 6, {9, 6, 6});
  EXPECT_LE(many.bricks, 0.55 * many.index_order);
  const auto flat = bytes_between_nodes(index<2>(24, 24), 16, 18, {1, 1});
  EXPECT_LE(flat.bricks, 0.55 * flat.index_order);
}

TEST(bricks, cut_only_arrays_of_two_and_three_dimensions_on_several_nodes) {
  const std::vector<std::vector<int>> whole{{64}, {8, 8, 8, 8}, {0, 5}, {5, 0, 5}, {1, 1, 1}};
  for (const auto& shape : whole) EXPECT_EQ(lengths_of_bricks(shape, 8, equal_nodes(4, 2)).part, shape);
  EXPECT_EQ(lengths_of_bricks(std::vector{16, 16}, 8, equal_nodes(1, 8)).part, (std::vector{16, 16}));
  const brick_lengths four = lengths_of_bricks(std::vector{16, 16}, 16, equal_nodes(4, 4));
  EXPECT_EQ(four.brick, (std::vector{8, 8}));
  EXPECT_EQ(four.part, (std::vector{4, 4}));
}

TEST(bricks, of_large_arrays_are_found_by_estimates) {
  const brick_lengths many = lengths_of_bricks(std::vector{1000, 1000, 100}, 384, equal_nodes(64, 6));
  EXPECT_EQ(many.brick, (std::vector{125, 125, 100}));
  EXPECT_LT(many.part[1], 125);
  const brick_lengths huge =
      lengths_of_bricks(std::vector{2'000'000'000, 1'500'000'000}, 4, equal_nodes(4, 1));
  EXPECT_EQ(huge.brick, (std::vector{1'000'000'000, 750'000'000}));
  EXPECT_EQ(huge.part, huge.brick);
}

TEST(bricks, give_each_pe_its_share_and_never_more_faces_between_nodes) {
  random dice(11);
  const auto up_to = [&dice](int most) { return static_cast<int>(dice() % static_cast<unsigned>(most)) + 1; };
  int cut_arrays = 0;
  for (int turn = 0; turn < 300; ++turn) {
    const index<3> shape(turn % 3 == 0 ? 1 : up_to(13), up_to(13), up_to(13));
    std::vector<int> starts;
    int pes = 0;
    for (int nodes = up_to(9); nodes > 0; --nodes) {
      starts.push_back(pes);
      pes += up_to(5);
    }
    const auto cut = detail::cut_into_bricks(shape, pes, starts);
    cut_arrays += cut.is_cut() ? 1 : 0;
    const std::vector<int> lengths{shape[0], shape[1], shape[2]};
    const brick_lengths bricks{{cut.brick[0], cut.brick[1], cut.brick[2]},
                               {cut.part[0], cut.part[1], cut.part[2]}};
    EXPECT_LE(count_cut_faces(lengths, bricks, pes, starts),
              count_cut_faces(lengths, {lengths, lengths}, pes, starts));

    const auto all = static_cast<int>(detail::volume(shape));
    std::set<std::uint64_t> placed;
    for (int pe = 0; pe < pes; ++pe) {
      int here = 0;
      detail::for_each_on<brick_placement, index<3>>(cut, pe, pes, [&](std::uint64_t l) {
        ++here;
        EXPECT_TRUE(placed.insert(l).second);
        EXPECT_EQ((detail::home_of<index<3>, brick_placement>(l, cut, pes)), pe);
      });
      EXPECT_GE(here, all / pes);
      EXPECT_LE(here, (all + pes - 1) / pes);
    }
    EXPECT_EQ(placed.size(), static_cast<std::size_t>(all));
  }
  EXPECT_GT(cut_arrays, 100);
}

TEST(bricks, number_the_elements_of_any_boxes) {
  random dice(5);
  const auto up_to = [&dice](int most) { return static_cast<int>(dice() % static_cast<unsigned>(most)) + 1; };
  for (int turn = 0; turn < 200; ++turn) {
    const index<4> shape(up_to(5), up_to(6), up_to(4), up_to(7));
    const index<4> brick(up_to(shape[0]), up_to(shape[1]), up_to(shape[2]), up_to(shape[3]));
    const bricked_shape<index<4>> cut(
        shape, brick, index<4>(up_to(brick[0]), up_to(brick[1]), up_to(brick[2]), up_to(brick[3])));
    std::vector<bool> taken(detail::volume(shape));
    for (std::uint64_t l = 0; l < taken.size(); ++l) {
      const std::uint64_t number = detail::number_in_bricks(cut, l);
      ASSERT_LT(number, taken.size());
      EXPECT_FALSE(taken[number]);
      taken[number] = true;
      EXPECT_EQ(detail::linear_in_bricks(cut, number), l);
    }
  }
}

TEST(bricks, are_refused_if_the_array_is_shorter) {
  for (const index<2>& wrong : {index<2>(0, 4), index<2>(-1, 4), index<2>(3, 5)}) {
    writer out;
    bricked_shape<index<2>> written(index<2>(3, 4), index<2>(3, 4), wrong);
    out(written);
    const std::vector<std::byte> bytes = out.take();
    reader in(bytes);
    bricked_shape<index<2>> read;
    EXPECT_THROW(in(read), serial_error);
  }
}

}  // namespace imbrex::bricks_test
