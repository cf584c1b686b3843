// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/name/indices.hpp>
#include <imbrex/serial/archive.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <ranges>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <strings.h>

#include <imbrex/testing/error_of.hpp>

namespace imbrex {
namespace {

// All checks happen at compile time.
static_assert(index<2>{1, 2} + index<2>{3, -4} == index<2>{4, -2});
static_assert(index<2>{1, 2} - index<2>{3, -4} == index<2>{-2, 6});
static_assert(index<2>{1, 2} < index<2>{1, 3});
static_assert(index<1>{1} + 1 == index<1>{2});
static_assert(contains(index<2>{3, 4}, index<2>{2, 3}) && !contains(index<2>{3, 4}, index<2>{0, 4}));
static_assert([] {
  const auto [x, y, z] = index<3>{7, 8, 9};
  return x == 7 && y == 8 && z == 9;
}());
static_assert(indices(index<3>{3, 4, 5}).size() == 60);
static_assert(side<1>::count == 2 && side<2>::count == 8 && side<3>::count == 26 && side<6>::count == 728);
static_assert(side<3>(5).dimension() == 2 && side<3>(5).is_upper() &&
              side<3>(5).offset() == index<3>{0, 0, 1});
static_assert(opposite(side<3>(5)) == side<3>(4));
static_assert(neighbours(index<2>{0, 0}, index<2>{4, 4}).size() == 2);
static_assert(std::ranges::forward_range<indices<3>> && std::ranges::sized_range<indices<3>>);
static_assert(std::ranges::forward_range<neighbours<3>>);
static_assert(serializable<side<3>>);

static_assert(std::is_same_v<index3, index<3>>);

}  // namespace
}  // namespace imbrex

/// A program that uses namespace imbrex and includes the C library's `index`.
namespace {
using namespace imbrex;
constexpr index3 of_a_program{1, 2, 3};
static_assert(of_a_program[2] == 3);
}  // namespace

namespace imbrex {
namespace {

/// All shapes of N dimensions with extents 1 to `most`.
template <int N>
indices<N> shapes(int most) {
  index<N> extents;
  for (int d = 0; d < N; ++d) extents[d] = most;
  return indices(extents);
}

template <int N>
index<N> ones() {
  index<N> one;
  for (int d = 0; d < N; ++d) one[d] = 1;
  return one;
}

template <int N>
periodic<N> periodic_of(unsigned bits) {
  periodic<N> result{};
  for (int d = 0; d < N; ++d) result[static_cast<std::size_t>(d)] = (bits >> d & 1U) != 0;
  return result;
}

/// The expected result of `neighbours`, found by trying every offset.
template <int N>
std::multiset<std::pair<std::string, std::string>> neighbours_by_hand(const index<N>& i,
                                                                      const index<N>& shape, sides which,
                                                                      const periodic<N>& around) {
  std::multiset<std::pair<std::string, std::string>> found;
  for (const auto from_zero : shapes<N>(3)) {
    const index<N> offset = from_zero - ones<N>();
    int moves = 0;
    bool is_outside = false;
    index<N> to = i + offset;
    for (int d = 0; d < N; ++d) {
      moves += offset[d] != 0;
      const int wrapped = (to[d] + shape[d]) % shape[d];
      is_outside |= to[d] != wrapped && !around[static_cast<std::size_t>(d)];
      to[d] = wrapped;
    }
    if (moves == 0 || is_outside || (which == sides::faces && moves > 1)) continue;
    found.emplace(to_string(to), to_string(offset));
  }
  return found;
}

template <int N>
void compare_neighbours(int most_extent) {
  for (const auto from_zero : shapes<N>(most_extent)) {
    const index<N> shape = from_zero + ones<N>();
    for (unsigned bits = 0; bits < 1U << N; ++bits)
      for (const sides which : {sides::faces, sides::all})
        for (const auto i : indices(shape)) {
          const neighbours<N> all(i, shape, which, periodic_of<N>(bits));
          std::multiset<std::pair<std::string, std::string>> found;
          for (const auto& [where, across_side] : all) {
            found.emplace(to_string(where), to_string(across_side.offset()));
            // The neighbour across a side has this index across its opposite side.
            EXPECT_EQ(across(where, opposite(across_side), shape, periodic_of<N>(bits)), i);
          }
          EXPECT_EQ(found, neighbours_by_hand(i, shape, which, periodic_of<N>(bits))) << i << " in " << shape;
          EXPECT_EQ(static_cast<std::size_t>(all.size()), found.size());
        }
  }
}

TEST(neighbours, are_those_that_offsets_lead_to) {
  compare_neighbours<1>(5);
  compare_neighbours<2>(4);
  compare_neighbours<3>(3);
}

TEST(neighbours, are_listed_for_each_side_in_small_periodic_dimensions) {
  using list = std::vector<neighbour<1>>;
  const auto of = [](int i, int extent) {
    const neighbours all(index<1>{i}, index<1>{extent}, sides::faces, {true});
    return list(all.begin(), all.end());
  };
  EXPECT_EQ(of(0, 1), (list{{0, side<1>(0)}, {0, side<1>(1)}}));
  EXPECT_EQ(of(0, 2), (list{{1, side<1>(0)}, {1, side<1>(1)}}));
  EXPECT_EQ(of(2, 3), (list{{1, side<1>(0)}, {0, side<1>(1)}}));
}

TEST(neighbours, refuse_an_index_outside) {
  EXPECT_EQ(testing::error_of<error>([&] { static_cast<void>(neighbours(index<2>{4, 0}, index<2>{4, 4})); }),
            "index (4, 0) has no neighbours in an array of shape (4, 4): it lies outside");
}

template <int N>
void check_sides() {
  std::set<index<N>> offsets;
  for (int number = 0; number < side<N>::count; ++number) {
    const side<N> s(number);
    EXPECT_TRUE(offsets.insert(s.offset()).second);
    EXPECT_EQ(opposite(s).offset(), index<N>{} - s.offset());
    EXPECT_EQ(opposite(opposite(s)), s);
    EXPECT_EQ(s.is_face(), opposite(s).is_face());
    EXPECT_EQ(s.is_face(), number < 2 * N);
  }
  EXPECT_EQ(offsets.count(index<N>{}), 0U);
}

TEST(side, has_an_opposite_and_an_offset_of_its_own) {
  check_sides<1>();
  check_sides<2>();
  check_sides<3>();
  check_sides<4>();
  check_sides<5>();
  check_sides<6>();
}

TEST(side, refuses_a_number_that_is_none) {
  EXPECT_THROW(side<2>(-1), error);
  EXPECT_EQ(testing::error_of<error>([&] { static_cast<void>(side<2>(8)); }),
            "there is no side 8 in 2 dimensions: they have sides 0 to 7");
}

TEST(side, is_checked_when_it_is_read) {
  writer out;
  out(side<2>(7), std::int16_t{8});
  const std::vector<std::byte> bytes = out.take();
  reader in(bytes);
  side<2> s;
  in(s);
  EXPECT_EQ(s, side<2>(7));
  EXPECT_THROW(in(s), serial_error);
}

template <int N>
void compare_order(const index<N>& shape) {
  std::uint64_t position = 0;
  for (const auto i : indices(shape)) {
    EXPECT_TRUE(contains(shape, i));
    EXPECT_EQ(detail::linear(shape, i), position++);
  }
  EXPECT_EQ(position, detail::volume(shape));
}

TEST(indices, go_through_a_shape_in_order) {
  compare_order(index<1>{7});
  compare_order(index<2>{1, 5});
  compare_order(index<3>{3, 1, 4});
  compare_order(index<4>{2, 3, 1, 5});
  compare_order(index<6>{2, 1, 3, 2, 1, 2});
  EXPECT_TRUE(indices(index<2>{3, 0}).empty());
  EXPECT_TRUE(indices(index<2>{-1, 3}).empty());
  EXPECT_EQ(indices(index<2>{-1, 3}).begin(), indices(index<2>{-1, 3}).end());
  // Usable as a range of the standard library.
  EXPECT_EQ(std::ranges::count_if(indices(index<2>{4, 4}), [](index<2> i) { return i[0] == i[1]; }), 4);
}

TEST(index, gives_an_error_for_a_sum_that_no_int_holds) {
  constexpr int most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
  EXPECT_THROW((index<2>{1, most} + index<2>{0, 1}), error);
  EXPECT_THROW((index<2>{1, least} - index<2>{0, 1}), error);
  const std::string error_text =
      testing::error_of<error>([&] { static_cast<void>(index<1>{most} - index<1>{-1}); });
  EXPECT_NE(error_text.find("2147483648 does not fit"), std::string::npos) << error_text;
}

TEST(index, is_printed_and_hashed) {
  std::ostringstream out;
  out << index<3>{1, -2, 3} << ' ' << index<1>{5};
  EXPECT_EQ(out.str(), "(1, -2, 3) 5");
  std::unordered_set<index<3>> all;
  for (const auto i : indices(index<3>{5, 7, 3})) all.insert(i);
  EXPECT_EQ(all.size(), 105U);
}

}  // namespace
}  // namespace imbrex
