// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/quadrature.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

namespace sweep {
namespace {

// The mean of an even power of a cosine over the sphere is 1 / (power + 1).
TEST(quadrature, has_the_moments_of_the_sphere) {
  for (std::int64_t angles = 1; angles <= 40; ++angles) {
    double all = 0, mu = 0, eta = 0, xi = 0;
    for (const ordinate& o : quadrature(angles)) {
      EXPECT_GT(o.mu * o.eta * o.xi * o.weight, 0);
      EXPECT_NEAR(o.mu * o.mu + o.eta * o.eta + o.xi * o.xi, 1, 1e-15);
      all += octants * o.weight;
      mu += octants * o.weight * o.mu * o.mu;
      eta += octants * o.weight * o.eta * o.eta;
      xi += octants * o.weight * o.xi * o.xi;
    }
    EXPECT_EQ(std::int64_t(quadrature(angles).size()), angles);
    EXPECT_NEAR(all, 1, 1e-14) << angles;
    EXPECT_NEAR(mu, 1.0 / 3, 1e-14) << angles;
    EXPECT_NEAR(eta, 1.0 / 3, 1e-14) << angles;
    EXPECT_NEAR(xi, 1.0 / 3, 1e-14) << angles;
  }
}

TEST(quadrature, is_exact_for_powers_below_four_times_the_levels) {
  const auto nine = quadrature(9);
  for (int power = 0; power < 12; power += 2) {
    double mean = 0;
    for (const ordinate& o : nine) mean += octants * o.weight * std::pow(o.xi, power);
    EXPECT_NEAR(mean, 1.0 / (power + 1), 1e-14) << power;
  }
}

TEST(octants, are_pairs_that_enter_at_the_same_corner_of_x_and_y) {
  std::set<std::pair<bool, bool>> corners;
  for (int first = 0; first < octants; first += 2) {
    for (const int dimension : {0, 1}) EXPECT_EQ(ascends(first, dimension), ascends(first + 1, dimension));
    EXPECT_NE(ascends(first, 2), ascends(first + 1, 2));
    corners.insert({ascends(first, 0), ascends(first, 1)});
  }
  EXPECT_EQ(corners.size(), 4U);
}

}  // namespace
}  // namespace sweep
