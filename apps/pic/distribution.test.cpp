// SPDX-License-Identifier: Apache-2.0
#include "apps/pic/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pic {
namespace {

std::size_t particles_of(const problem& posed) {
  return initial_particles(posed, {0, posed.grid - 1, 0, posed.grid - 1}).size();
}

// The kernel's own serial program has these numbers.
TEST(distribution, has_as_many_particles_as_the_kernel) {
  problem posed{.grid = 64, .particles = 5000, .attenuation = 0.97};
  EXPECT_EQ(particles_of(posed), 4978U);
  posed.how = distribution::sinusoidal;
  EXPECT_EQ(particles_of(posed), 5002U);
  posed.how = distribution::linear;
  EXPECT_EQ(particles_of(posed), 4563U);
  posed.particles = 50'000;
  EXPECT_EQ(particles_of(posed), 49'967U);
  posed.particles = 5000;
  posed.how = distribution::patch;
  posed.patch = {5, 20, 30, 40};
  EXPECT_EQ(particles_of(posed), 4985U);
  EXPECT_EQ(particles_of({}), 398'546U);
}

TEST(distribution, is_equal_however_the_grid_is_cut) {
  const problem posed{.grid = 32, .particles = 3000};
  const std::size_t all = particles_of(posed);
  std::size_t sum = 0;
  for (const rectangle& part :
       {rectangle{0, 9, 0, 31}, {10, 31, 0, 0}, {10, 31, 1, 30}, {10, 20, 31, 31}, {21, 31, 31, 31}})
    sum += initial_particles(posed, part).size();
  EXPECT_EQ(sum, all);
}

TEST(distribution, knows_where_a_particle_must_be) {
  const problem posed{.grid = 10, .k = 1, .m = -2};
  particle p{.x = 2.5, .y = 5.5, .first_x = 9.5, .first_y = 9.5};
  EXPECT_FALSE(is_in_place(posed, p, 1));
  p.y = 7.5;
  EXPECT_TRUE(is_in_place(posed, p, 1));
  EXPECT_TRUE(is_in_place(posed, p, 1'000'000'001));
  p.x += 1e-5;
  EXPECT_FALSE(is_in_place(posed, p, 1));
}

}  // namespace
}  // namespace pic
