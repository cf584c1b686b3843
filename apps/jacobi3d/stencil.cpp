// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/stencil.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "apps/jacobi3d/stencil_variants.hpp"

namespace jacobi3d {
namespace {

// Bytes of the first processor's cache of a level (2 or 3). sysconf is not used: in virtual machines it
// multiplies the sizes.
std::size_t cache_bytes(int level, std::size_t otherwise) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size");
  std::size_t kibibytes = 0;
  char unit = 0;
  return file >> kibibytes >> unit && unit == 'K' && kibibytes > 0 ? kibibytes * 1024 : otherwise;
}

// Three planes of a tile fill at most half of the second-level cache; tiles have similar sizes.
std::size_t tile_rows(std::size_t rows, std::size_t row_bytes) {
  static const std::size_t budget = cache_bytes(2, std::size_t(1) << 20) / 2;
  const std::size_t most = std::max<std::size_t>(1, budget / (3 * row_bytes));
  const std::size_t tiles = (rows + most - 1) / most;
  return (rows + tiles - 1) / tiles;
}

// Prefetch distance in rows: a fixed number of bytes, for any row length, equal to the data that main memory
// delivers within its latency.
std::size_t rows_ahead(std::size_t row_pitch) {
  constexpr std::size_t doubles = 512;
  return (doubles + row_pitch - 1) / row_pitch;
}

// Rows of a block: first_plane <= x < last_plane and first_row <= y < last_row.
struct rows {
  std::int64_t first_plane, last_plane;
  std::int64_t first_row, last_row;
};

double sweep_rows(const extents& cells, const block_field::sweep_view& view, const rows& part,
                  const sweep_options& options) {
  const sweep_part_arguments arguments{
      .view = view,
      .nx = std::size_t(cells[0]),
      .ny = std::size_t(cells[1]),
      .nz = std::size_t(cells[2]),
      .first_plane = std::size_t(part.first_plane),
      .last_plane = std::size_t(part.last_plane),
      .first_row = std::size_t(part.first_row),
      .last_row = std::size_t(part.last_row),
      .ahead = rows_ahead(view.row_pitch),
      .tile_rows = tile_rows(std::size_t(cells[1]), view.row_pitch * sizeof(double)),
      .streaming = options.stores == store_policy::streaming,
      .change = options.change,
  };
  switch (options.instructions) {
#if defined(__x86_64__)
    case instruction_set::avx512: return sweep_part_avx512(arguments);
    case instruction_set::avx2: return sweep_part_avx2(arguments);
#endif
    default: return sweep_part_portable(arguments);
  }
}

// The rows that need no halo in x and y but a fixed one; none if the block is too thin.
rows interior_rows(const block_field& field) {
  const extents& cells = field.cells();
  const std::int64_t first_plane = field.shared(0) ? 1 : 0, first_row = field.shared(2) ? 1 : 0;
  return {first_plane, std::max(first_plane, cells[0] - (field.shared(1) ? 1 : 0)), first_row,
          std::max(first_row, cells[1] - (field.shared(3) ? 1 : 0))};
}

// Sweeps the cells at one end of these rows again: a sweep without the halos in z has left NaN there.
double sweep_ends(const extents& cells, const block_field::sweep_view& view, const rows& part, int side,
                  bool change) {
  const auto ny = std::size_t(cells[1]), last = std::size_t(cells[2] - 1), k = side == 4 ? 0 : last;
  double greatest = 0;
  for (auto i = std::size_t(part.first_plane); i < std::size_t(part.last_plane); ++i)
    for (auto j = std::size_t(part.first_row); j < std::size_t(part.last_row); ++j) {
      const std::size_t at = i * view.plane_pitch + j * view.row_pitch + k, z_cell = i * ny + j;
      const std::size_t x_cell = j * view.row_pitch + k, y_cell = i * view.row_pitch + k;
      const double* const centre = view.now + at;
      const double low_x = i == 0 ? view.halo[0][x_cell] : *(centre - view.plane_pitch);
      const double high_x = i + 1 == std::size_t(cells[0]) ? view.halo[1][x_cell] : centre[view.plane_pitch];
      const double low_y = j == 0 ? view.halo[2][y_cell] : *(centre - view.row_pitch);
      const double high_y = j + 1 == ny ? view.halo[3][y_cell] : centre[view.row_pitch];
      const double low_z = k == 0 ? view.halo[4][z_cell] : centre[-1];
      const double high_z = k == last ? view.halo[5][z_cell] : centre[1];
      const double value = (*centre + low_x + high_x + low_y + high_y + low_z + high_z) / 7.0;
      view.next[at] = view.face[side][z_cell] = value;
      if (change) greatest = std::max(greatest, std::abs(value - *centre));
    }
  return greatest;
}

}  // namespace

store_policy stores_for(std::uint64_t bytes) {
  static const std::size_t cache = cache_bytes(3, std::size_t(32) << 20);
  return bytes > cache ? store_policy::streaming : store_policy::cached;
}

bool supported(instruction_set set) {
  switch (set) {
#if defined(__x86_64__)
    case instruction_set::avx512: return __builtin_cpu_supports("avx512f");
    case instruction_set::avx2: return __builtin_cpu_supports("avx2");
#endif
    default: return set == instruction_set::portable;
  }
}

instruction_set widest_instruction_set() {
  static const instruction_set widest = supported(instruction_set::avx512) ? instruction_set::avx512
                                        : supported(instruction_set::avx2) ? instruction_set::avx2
                                                                           : instruction_set::portable;
  return widest;
}

double sweep_planes(block_field& field, std::int64_t first, std::int64_t last, const sweep_options& options) {
  return sweep_rows(field.cells(), field.view(), {first, last, 0, field.cells()[1]}, options);
}

double sweep(block_field& field, const sweep_options& options) {
  const double change = sweep_planes(field, 0, field.cells()[0], options);
  field.flip();
  return change;
}

double sweep_interior(block_field& field, const sweep_options& options) {
  return sweep_rows(field.cells(), field.interior_view(), interior_rows(field), options);
}

double sweep_exterior(block_field& field, const sweep_options& options) {
  const extents& cells = field.cells();
  const auto view = field.view();
  const rows inside = interior_rows(field);
  const rows outside[]{
      {0, inside.first_plane, 0, cells[1]},
      {inside.last_plane, cells[0], 0, cells[1]},
      {inside.first_plane, inside.last_plane, 0, inside.first_row},
      {inside.first_plane, inside.last_plane, inside.last_row, cells[1]},
  };
  double change = 0;
  for (const rows& part : outside) change = std::max(change, sweep_rows(cells, view, part, options));
  for (const int side : {4, 5})
    if (field.shared(side)) change = std::max(change, sweep_ends(cells, view, inside, side, options.change));
  field.flip();
  return change;
}

}  // namespace jacobi3d
