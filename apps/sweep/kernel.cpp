// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/kernel.hpp"

#include <array>
#include <cstddef>

namespace sweep {
namespace {

// A few angles that pass through a cell together. Their number is known to the compiler, which uses vectors.
template <std::size_t width>
using lanes = std::array<double, width>;

template <std::size_t width>
lanes<width> load(const double* from) {
  lanes<width> values;
  for (std::size_t m = 0; m < width; ++m) values[m] = from[m];
  return values;
}

template <std::size_t width>
void store(double* to, const lanes<width>& values) {
  for (std::size_t m = 0; m < width; ++m) to[m] = values[m];
}

template <std::size_t width>
struct lane_coefficients {
  lane_coefficients(const coefficients& of, std::size_t first)
      : x(load<width>(&of.x[first])),
        y(load<width>(&of.y[first])),
        z(load<width>(&of.z[first])),
        inverse(load<width>(&of.inverse[first])),
        half_weight(load<width>(&of.half_weight[first])) {}

  lanes<width> x, y, z, inverse, half_weight;
};

// Cells along x: their number, the step from one cell to the next, and from its fluxes to the next cell's.
struct row {
  std::ptrdiff_t cells, cell_step, angle_step;
};

// The flux in a cell's middle is the mean of inflow and outflow, equally along x, y and z. The inflow along x
// is added last, since the next cell waits for that outflow.
template <std::size_t width>
void sweep_row(const lane_coefficients<width>& of, const row& along, const step_fields& at) {
  lanes<width> x = load<width>(at.x), both;
  for (std::ptrdiff_t i = 0; i < along.cells; ++i) {
    const double source = at.source[i * along.cell_step];
    lanes<width> y = load<width>(at.y + i * along.angle_step), z = load<width>(at.z + i * along.angle_step);
    for (std::size_t m = 0; m < width; ++m)
      both[m] = (source + of.z[m] * z[m] + of.y[m] * y[m] + of.x[m] * x[m]) * of.inverse[m];
    for (std::size_t m = 0; m < width; ++m) x[m] = both[m] - x[m];
    for (std::size_t m = 0; m < width; ++m) y[m] = both[m] - y[m];
    for (std::size_t m = 0; m < width; ++m) z[m] = both[m] - z[m];
    store<width>(at.y + i * along.angle_step, y);
    store<width>(at.z + i * along.angle_step, z);
    double flux = at.flux[i * along.cell_step];
    for (std::size_t m = 0; m < width; ++m) flux += of.half_weight[m] * both[m];
    at.flux[i * along.cell_step] = flux;
  }
  store<width>(at.x, x);
}

// Sweeps `width` angles from `lane` on, counted within the step.
template <std::size_t width>
void sweep_lanes(const coefficients& of, const extents& cells, const step& what, const step_fields& fields,
                 std::size_t lane) {
  const lane_coefficients<width> lane_values(of, std::size_t(what.first_angle) + lane);
  const auto& [nx, ny, nz] = cells;
  const auto visited = [&](int dimension, std::int64_t count) {
    return ascends(what.octant, dimension) ? count : cells[std::size_t(dimension)] - 1 - count;
  };
  const row along_x{nx, ascends(what.octant, 0) ? 1 : -1, what.angles};
  for (std::int64_t k = 0; k < what.planes; ++k)
    for (std::int64_t j = 0; j < ny; ++j) {
      const std::int64_t cell = (visited(2, what.first_plane + k) * ny + visited(1, j)) * nx + visited(0, 0);
      const auto at = [&](double* face, std::int64_t place) { return face + place * what.angles + lane; };
      sweep_row<width>(lane_values, along_x,
                       {fields.source + cell, fields.flux + cell, at(fields.x, k * ny + j),
                        at(fields.y, k * nx), at(fields.z, j * nx)});
    }
}

}  // namespace

coefficients::coefficients(const std::vector<ordinate>& angles) {
  for (const ordinate& angle : angles) {
    x.push_back(2 * angle.mu);
    y.push_back(2 * angle.eta);
    z.push_back(2 * angle.xi);
    inverse.push_back(2 / (total_cross_section + x.back() + y.back() + z.back()));
    half_weight.push_back(angle.weight / 2);
  }
}

void make_step(const coefficients& of, const extents& cells, const step& what, const step_fields& fields) {
  const auto angles = std::size_t(what.angles);
  std::size_t lane = 0;
  for (; lane + 4 <= angles; lane += 4) sweep_lanes<4>(of, cells, what, fields, lane);
  switch (angles - lane) {
    case 3: return sweep_lanes<3>(of, cells, what, fields, lane);
    case 2: return sweep_lanes<2>(of, cells, what, fields, lane);
    case 1: return sweep_lanes<1>(of, cells, what, fields, lane);
    default: return;
  }
}

}  // namespace sweep
