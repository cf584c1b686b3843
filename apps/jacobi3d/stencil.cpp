// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/stencil.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "apps/jacobi3d/stencil_variants.hpp"

namespace jacobi3d {
namespace {

// Bytes of the first processor's cache of a level (2 or 3). Not from sysconf, which in virtual machines
// multiplies.
std::size_t cache_bytes(int level, std::size_t otherwise) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size");
  std::size_t kibibytes = 0;
  char unit = 0;
  return file >> kibibytes >> unit && unit == 'K' && kibibytes > 0 ? kibibytes * 1024 : otherwise;
}

// Three planes of a tile fill at most half of the second-level cache; tiles are of like size.
std::size_t tile_rows(std::size_t rows, std::size_t row_bytes) {
  static const std::size_t budget = cache_bytes(2, std::size_t(1) << 20) / 2;
  const std::size_t most = std::max<std::size_t>(1, budget / (3 * row_bytes));
  const std::size_t tiles = (rows + most - 1) / most;
  return (rows + tiles - 1) / tiles;
}

// Fetched early by a fixed number of bytes, whatever the length of rows: what main memory delivers while it
// answers.
std::size_t rows_ahead(std::size_t row_pitch) {
  constexpr std::size_t doubles = 512;
  return (doubles + row_pitch - 1) / row_pitch;
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
  const extents& cells = field.cells();
  const auto view = field.view();
  const sweep_part_arguments part{
      .view = view,
      .nx = std::size_t(cells[0]),
      .ny = std::size_t(cells[1]),
      .nz = std::size_t(cells[2]),
      .first_plane = std::size_t(first),
      .last_plane = std::size_t(last),
      .ahead = rows_ahead(view.row_pitch),
      .tile_rows = tile_rows(std::size_t(cells[1]), view.row_pitch * sizeof(double)),
      .streaming = options.stores == store_policy::streaming,
      .change = options.change,
  };
  switch (options.instructions) {
#if defined(__x86_64__)
    case instruction_set::avx512: return sweep_part_avx512(part);
    case instruction_set::avx2: return sweep_part_avx2(part);
#endif
    default: return sweep_part_portable(part);
  }
}

double sweep(block_field& field, const sweep_options& options) {
  const double change = sweep_planes(field, 0, field.cells()[0], options);
  field.flip();
  return change;
}

}  // namespace jacobi3d
