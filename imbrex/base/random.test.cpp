// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>

namespace {

static_assert(std::uniform_random_bit_generator<imbrex::random>);

TEST(random, gives_the_published_numbers) {
  // The output of the authors' splitmix64.c, seed 0, and xoshiro256starstar.c.
  imbrex::random zero(0);
  for (const std::uint64_t expected : {0x99ec5f36cb75f2b4U, 0xbf6e1f784956452aU, 0x1a5f849d4933e6e0U})
    EXPECT_EQ(zero(), expected);
}

TEST(random, repeats_for_a_seed_and_differs_between_seeds) {
  imbrex::random a(7);
  imbrex::random b(7);
  imbrex::random c(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto drawn = a();
    EXPECT_EQ(drawn, b());
    differs = differs || drawn != c();
  }
  EXPECT_TRUE(differs);
}

TEST(random, below_stays_below_and_reaches_everything) {
  imbrex::random source(1);
  EXPECT_EQ(source.below(0), 0U);
  EXPECT_EQ(source.below(1), 0U);
  constexpr int draws = 10'000;
  std::array<int, 10> counts{};
  for (int i = 0; i < draws; ++i) ++counts.at(source.below(counts.size()));
  for (const int count : counts) EXPECT_NEAR(count, draws / 10, 150);
  for (const std::uint64_t n : {std::uint64_t{2}, (std::uint64_t{1} << 63U) + 1, ~std::uint64_t{0}})
    for (int i = 0; i < 100; ++i) EXPECT_LT(source.below(n), n);
}

TEST(random, shuffles_and_feeds_distributions) {
  imbrex::random source(3);
  std::array<int, 50> numbers{};
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto sorted = numbers;
  std::shuffle(numbers.begin(), numbers.end(), source);
  EXPECT_NE(numbers, sorted);
  EXPECT_TRUE(std::is_permutation(numbers.begin(), numbers.end(), sorted.begin()));
  std::uniform_real_distribution<double> below_one;
  for (int i = 0; i < 100; ++i) EXPECT_LT(below_one(source), 1);
}

}  // namespace
