// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace {

TEST(random, gives_the_published_numbers) {
  // From the authors' splitmix64.c, seed 0, and xoshiro256starstar.c.
  imbrex::random zero(0);
  for (const std::uint64_t expected : {0x99ec5f36cb75f2b4U, 0xbf6e1f784956452aU, 0x1a5f849d4933e6e0U})
    EXPECT_EQ(zero.next(), expected);
}

TEST(random, repeats_for_a_seed_and_differs_between_seeds) {
  imbrex::random a(7);
  imbrex::random b(7);
  imbrex::random c(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto drawn = a.next();
    EXPECT_EQ(drawn, b.next());
    differs = differs || drawn != c.next();
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

}  // namespace
