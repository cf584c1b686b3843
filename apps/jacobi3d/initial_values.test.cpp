// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/initial_values.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "apps/jacobi3d/reference.hpp"

namespace jacobi3d {
namespace {

constexpr extents grid{4, 5, 6};

TEST(initial_values, hot_face_heats_the_low_x_face_alone) {
  const auto values = initial_values::parse("hot-face");
  EXPECT_EQ(values.at(grid, -1, 2, 3), 1.0);
  EXPECT_EQ(values.at(grid, 4, 2, 3), 0.0);
  EXPECT_EQ(values.at(grid, 2, -1, 3), 0.0);
  EXPECT_EQ(values.at(grid, 2, 2, 6), 0.0);
  EXPECT_EQ(values.at(grid, 2, 2, 2), 0.0);
}

TEST(initial_values, random_depends_on_seed_and_index_and_lies_in_0_to_1) {
  const auto seven = initial_values::parse("random:7"), eight = initial_values::parse("random:8");
  double sum = 0;
  for (std::int64_t x = 0; x < 40; ++x)
    for (std::int64_t y = 0; y < 40; ++y) {
      const double value = seven.at({40, 40, 1}, x, y, 0);
      EXPECT_GE(value, 0.0);
      EXPECT_LT(value, 1.0);
      EXPECT_NE(value, eight.at({40, 40, 1}, x, y, 0));
      sum += value;
    }
  EXPECT_NEAR(sum / 1600, 0.5, 0.03);
  EXPECT_EQ(seven.at(grid, -1, 0, 0), 1.0);
  EXPECT_EQ(seven.at(grid, 0, 5, 0), 0.0);
}

TEST(initial_values, linear_is_a_fixed_point) {
  serial_grid serial(grid, initial_values::parse("linear"));
  const std::uint64_t before = serial.checksum();
  EXPECT_EQ(serial.sweep(10), 0.0);
  EXPECT_EQ(serial.checksum(), before);
}

TEST(initial_values, refuses_other_texts) {
  for (const char* text : {"", "cold", "random", "random:", "random:x", "random:-1", "random:1 ", "linear:1",
                           "random:18446744073709551616"})
    EXPECT_THROW(initial_values::parse(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace jacobi3d
