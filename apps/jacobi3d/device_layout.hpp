// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace jacobi3d {

/// The layout of a block in device memory: one array, including the layer of cells around the block (one
/// index is -1 or the extent). Cells along z are adjacent. The first inside cell of each row is on a 128-byte
/// boundary, so that a warp's access touches the fewest possible lines. All sizes are in doubles.
///
/// This header is C++17, for the device's compilers.
struct device_layout {
  std::int64_t nx = 1, ny = 1, nz = 1;
  std::int64_t row_pitch = 0, plane_pitch = 0;

  /// Extents must be at least 1.
  explicit constexpr device_layout(const std::array<std::int64_t, 3>& cells)
      : nx(cells[0]),
        ny(cells[1]),
        nz(cells[2]),
        row_pitch((nz + 2 + line - 1) / line * line),
        plane_pitch(row_pitch * (ny + 2)) {}

  /// The index of a cell, or of one in the layer around.
  constexpr std::size_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(line + (i + 1) * plane_pitch + (j + 1) * row_pitch + k);
  }
  /// The size of the whole array.
  constexpr std::size_t size() const { return static_cast<std::size_t>(line + (nx + 2) * plane_pitch); }
  constexpr std::size_t cells() const { return static_cast<std::size_t>(nx * ny * nz); }
  /// The cells of a side's face (see block_field.hpp), without padding: written by `pack` and read by
  /// `unpack`.
  constexpr std::size_t face_cells(int side) const {
    return static_cast<std::size_t>((side / 2 == 0 ? ny : nx) * (side / 2 == 2 ? ny : nz));
  }

 private:
  static constexpr std::int64_t line = 16;  // 128 bytes; the cell before a row is in the padding before it
};

/// The cells at one side of a block: its outermost layer, or the layer around it. Cell (slow, fast) has index
/// first + slow * slow_pitch + fast * fast_pitch in the array, and slow * fast_cells + fast in the face.
struct device_face {
  std::size_t first;
  std::int64_t slow_cells, slow_pitch;
  std::int64_t fast_cells, fast_pitch;

  constexpr device_face(const device_layout& of, int side, bool outside)
      : first(side / 2 == 0   ? of.at(depth(of.nx, side, outside), 0, 0)
              : side / 2 == 1 ? of.at(0, depth(of.ny, side, outside), 0)
                              : of.at(0, 0, depth(of.nz, side, outside))),
        slow_cells(side / 2 == 0 ? of.ny : of.nx),
        slow_pitch(side / 2 == 0 ? of.row_pitch : of.plane_pitch),
        fast_cells(side / 2 == 2 ? of.ny : of.nz),
        fast_pitch(side / 2 == 2 ? of.row_pitch : 1) {}

 private:
  static constexpr std::int64_t depth(std::int64_t extent, int side, bool outside) {
    return side % 2 == 0 ? (outside ? -1 : 0) : (outside ? extent : extent - 1);
  }
};

}  // namespace jacobi3d
