// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace sweep {
namespace {

struct column_of_cells {
  column_of_cells(const extents& count, std::int64_t angles)
      : cells(count),
        source(std::size_t(count[0] * count[1] * count[2])),
        flux(source.size()),
        x(std::size_t(count[1] * count[2] * angles)),
        y(std::size_t(count[0] * count[2] * angles)),
        z(std::size_t(count[0] * count[1] * angles)) {
    std::mt19937 random(5);
    for (auto* values : {&source, &x, &y, &z})
      for (double& value : *values) value = std::generate_canonical<double, 53>(random);
  }

  void make(const coefficients& of, const step& what) {
    make_step(of, cells, what, {source.data(), flux.data(), x.data(), y.data(), z.data()});
  }

  extents cells;
  std::vector<double> source, flux, x, y, z;
};

double weighted_flow(const std::vector<double>& fluxes, const coefficients& of,
                     const std::vector<double>& twice_cosine) {
  double sum = 0;
  for (std::size_t i = 0; i < fluxes.size(); ++i) {
    const std::size_t angle = i % of.half_weight.size();
    sum += fluxes[i] * of.half_weight[angle] * twice_cosine[angle];
  }
  return sum;
}

TEST(kernel, solves_a_cell_by_hand) {
  const coefficients of({{.mu = 0.5, .eta = 0.25, .xi = 0.125, .weight = 0.5}});
  column_of_cells cell({1, 1, 1}, 1);
  cell.source = {1.0}, cell.x = {2.0}, cell.y = {3.0}, cell.z = {4.0};
  cell.make(of, {.octant = 7, .first_plane = 0, .planes = 1, .first_angle = 0, .angles = 1});
  const double middle = (1.0 + 1.0 * 2 + 0.5 * 3 + 0.25 * 4) / (0.25 + 1 + 0.5 + 0.25);
  EXPECT_DOUBLE_EQ(cell.flux[0], middle / 2);
  EXPECT_DOUBLE_EQ(cell.x[0], 2 * middle - 2);
  EXPECT_DOUBLE_EQ(cell.y[0], 2 * middle - 3);
  EXPECT_DOUBLE_EQ(cell.z[0], 2 * middle - 4);
}

TEST(kernel, loses_no_particle) {
  for (std::int64_t angles = 1; angles <= 9; ++angles)
    for (int octant = 0; octant < octants; ++octant) {
      const coefficients of(quadrature(angles));
      column_of_cells column({5, 3, 4}, angles);
      const auto flow = [&] {
        return weighted_flow(column.x, of, of.x) + weighted_flow(column.y, of, of.y) +
               weighted_flow(column.z, of, of.z);
      };
      const double inflow = flow();
      column.make(of, {.octant = octant, .first_plane = 0, .planes = 4, .first_angle = 0, .angles = angles});
      const double emitted = std::accumulate(column.source.begin(), column.source.end(), 0.0) / octants;
      const double collided =
          total_cross_section * std::accumulate(column.flux.begin(), column.flux.end(), 0.0);
      EXPECT_NEAR(inflow + emitted, flow() + collided, 1e-12) << angles << " angles, octant " << octant;
    }
}

TEST(kernel, is_mirrored_with_the_octant) {
  const coefficients of(quadrature(3));
  column_of_cells straight({4, 3, 5}, 3);
  column_of_cells mirrored = straight;
  std::ranges::reverse(mirrored.source);  // mirrored in x, y and z
  straight.make(of, {.octant = 7, .first_plane = 0, .planes = 5, .first_angle = 0, .angles = 3});
  mirrored.make(of, {.octant = 0, .first_plane = 0, .planes = 5, .first_angle = 0, .angles = 3});
  std::ranges::reverse(mirrored.flux);
  EXPECT_EQ(straight.flux, mirrored.flux);
  EXPECT_EQ(straight.x, mirrored.x);
  EXPECT_EQ(straight.y, mirrored.y);
  EXPECT_EQ(straight.z, mirrored.z);
}

}  // namespace
}  // namespace sweep
