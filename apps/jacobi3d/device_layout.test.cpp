// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/device_layout.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jacobi3d {
namespace {

TEST(device_layout, gives_each_cell_and_the_layer_around_a_place_of_its_own) {
  for (const std::int64_t nz : {1, 2, 13, 14, 15, 16, 17, 30}) {
    const device_layout layout({3, 2, nz});
    std::vector<int> taken(layout.size());
    for (std::int64_t i = -1; i <= layout.nx; ++i)
      for (std::int64_t j = -1; j <= layout.ny; ++j)
        for (std::int64_t k = -1; k <= layout.nz; ++k) {
          ASSERT_LT(layout.at(i, j, k), layout.size());
          ASSERT_EQ(taken[layout.at(i, j, k)]++, 0) << i << ' ' << j << ' ' << k << " of " << nz;
        }
  }
}

TEST(device_layout, aligns_the_first_cell_of_each_row) {
  for (const std::int64_t nz : {1, 14, 15, 64, 1023}) {
    const device_layout layout({3, 5, nz});
    for (std::int64_t i = -1; i <= layout.nx; ++i)
      for (std::int64_t j = -1; j <= layout.ny; ++j) EXPECT_EQ(layout.at(i, j, 0) * sizeof(double) % 128, 0U);
  }
}

// update_kernel loads pairs of cells: the pair that begins after a row's last cell must exist.
TEST(device_layout, has_two_places_after_each_row) {
  for (const std::int64_t nz : {1, 14, 15, 16, 30}) {
    const device_layout layout({1, 1, nz});
    EXPECT_LE(layout.at(1, 1, nz) + 2, layout.size());
  }
}

TEST(device_layout, counts_beyond_32_bits) {
  const device_layout layout({3000, 3001, 3002});
  EXPECT_EQ(layout.cells(), 3000ULL * 3001 * 3002);
  EXPECT_EQ(layout.at(2999, 3000, 3001), 16 + 3000ULL * 3003 * 3008 + 3001ULL * 3008 + 3001);
  EXPECT_EQ(device_layout({100'000, 50'000, 1}).face_cells(4), 5'000'000'000ULL);
}

TEST(device_layout, finds_faces) {
  const device_layout layout({3, 5, 7});
  const std::size_t cells[]{35, 35, 21, 21, 15, 15};
  for (int side = 0; side < 6; ++side) EXPECT_EQ(layout.face_cells(side), cells[side]);
  EXPECT_EQ(device_face(layout, 0, false).first, layout.at(0, 0, 0));
  EXPECT_EQ(device_face(layout, 0, true).first, layout.at(-1, 0, 0));
  EXPECT_EQ(device_face(layout, 3, false).first, layout.at(0, 4, 0));
  EXPECT_EQ(device_face(layout, 3, true).first, layout.at(0, 5, 0));
  EXPECT_EQ(device_face(layout, 5, true).first, layout.at(0, 0, 7));
}

}  // namespace
}  // namespace jacobi3d
