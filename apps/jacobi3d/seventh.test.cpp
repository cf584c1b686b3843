// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/seventh.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace jacobi3d {
namespace {

void expect_divided(double sum) {
  volatile double numerator = sum;  // volatile: forces a real division
  const double quotient = numerator / 7.0, found = seventh(sum);
  if (std::isnan(quotient)) {
    ASSERT_TRUE(std::isnan(found));
    return;
  }
  ASSERT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(quotient))
      << std::hexfloat << sum;
}

TEST(seventh, divides_any_number) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300'000; ++i) expect_divided(std::bit_cast<double>(random()));
}

TEST(seventh, divides_where_a_quotient_is_hardest_to_round) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const auto whole = static_cast<double>(random() >> 11U);
    const auto bits = std::bit_cast<std::uint64_t>(7 * whole);
    for (std::uint64_t near = 0; near <= 6; ++near) expect_divided(std::bit_cast<double>(bits + near - 3));
  }
}

TEST(seventh, divides_the_smallest_numbers) {
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    expect_divided(std::bit_cast<double>(i));
    expect_divided(-std::bit_cast<double>(i));
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) expect_divided(std::bit_cast<double>(random() >> 10U));
}

TEST(seventh, divides_what_is_no_finite_number) {
  using limits = std::numeric_limits<double>;
  for (const double sum : {limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min(), 0.0}) {
    expect_divided(sum);
    expect_divided(-sum);
  }
}

}  // namespace
}  // namespace jacobi3d
