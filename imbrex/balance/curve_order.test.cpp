// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/curve_order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <imbrex/balance/snapshot.hpp>
#include <imbrex/base/random.hpp>

namespace imbrex::balance {
namespace {

/// All points of a grid with sides of 2^bits, in the order of their numbers.
snapshot cube(int dimensions, unsigned bits) {
  snapshot s;
  s.pes = 1;
  s.dimensions = dimensions;
  s.pe.resize(std::size_t{1} << (bits * static_cast<unsigned>(dimensions)));
  for (std::size_t i = 0; i < s.pe.size(); ++i)
    for (unsigned d = 0; d < static_cast<unsigned>(dimensions); ++d)
      s.coordinates.push_back(static_cast<float>(i >> (bits * d) & ((std::size_t{1} << bits) - 1)));
  return s;
}

bool is_permutation_of_all(std::vector<std::uint32_t> order) {
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != i) return false;
  return true;
}

double distance(const snapshot& s, std::uint32_t a, std::uint32_t b) {
  double sum = 0;
  const auto dimensions = static_cast<std::size_t>(s.dimensions);
  for (std::size_t d = 0; d < dimensions; ++d)
    sum +=
        std::abs(static_cast<double>(s.coordinates[a * dimensions + d] - s.coordinates[b * dimensions + d]));
  return sum;
}

TEST(curve_order, goes_from_neighbour_to_neighbour) {
  for (const auto& [dimensions, bits] : {std::pair(1, 4U), {2, 4U}, {3, 3U}, {4, 2U}, {5, 2U}, {6, 1U}}) {
    const snapshot s = cube(dimensions, bits);
    const auto order = curve_order(s.view());
    ASSERT_TRUE(is_permutation_of_all(order)) << dimensions;
    for (std::size_t k = 1; k < order.size(); ++k)
      ASSERT_EQ(distance(s, order[k - 1], order[k]), 1) << dimensions << " dimensions, place " << k;
  }
}

TEST(curve_order, does_not_depend_on_scale_or_origin) {
  snapshot s = cube(3, 3);
  const auto order = curve_order(s.view());
  for (float& at : s.coordinates) at = at * 0.125F - 40;
  EXPECT_EQ(curve_order(s.view()), order);
}

TEST(curve_order, has_places_that_do_not_depend_on_other_objects) {
  for (const auto& [dimensions, bits] : {std::pair(1, 9U), {2, 5U}, {3, 4U}, {4, 3U}, {5, 2U}, {6, 2U}}) {
    const snapshot all = cube(dimensions, bits);
    const auto places = places_on_curve(all.view());
    random dice(5);
    snapshot some;
    some.dimensions = dimensions;
    std::vector<std::uint64_t> expected;
    for (std::size_t i = 0; i < all.pe.size(); ++i) {
      if (dice.below(4) > 0 || all.coordinates[i * std::size_t(dimensions)] > 1) continue;
      const auto first = all.coordinates.begin() + std::ptrdiff_t(i) * dimensions;
      some.coordinates.insert(some.coordinates.end(), first, first + dimensions);
      some.pe.push_back(0);
      expected.push_back(places[i]);
    }
    EXPECT_EQ(places_on_curve(some.view()), expected) << dimensions;
  }
}

TEST(curve_order, takes_any_points) {
  random dice(3);
  for (int dimensions = 0; dimensions <= 6; ++dimensions) {
    snapshot s;
    s.dimensions = dimensions;
    s.pe.resize(100);
    for (int i = 0; i < 100 * dimensions; ++i)
      s.coordinates.push_back(static_cast<float>(static_cast<double>(dice.below(1000)) * 1e30));
    EXPECT_TRUE(is_permutation_of_all(curve_order(s.view())));
    for (float& at : s.coordinates) at = 0.5F;  // all at one point: in the order of their numbers
    EXPECT_TRUE(std::ranges::is_sorted(curve_order(s.view())));
  }
  EXPECT_TRUE(curve_order({}).empty());
}

}  // namespace
}  // namespace imbrex::balance
