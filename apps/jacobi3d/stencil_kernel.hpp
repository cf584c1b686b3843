// SPDX-License-Identifier: Apache-2.0
// The sweep for vectors of any width. Each file stencil_<instruction set>.cpp enables its instructions,
// includes this file, and instantiates it with its own Simd type. It must not call inline functions of the
// standard library: the linker might keep the copy that needs those instructions for all callers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/jacobi3d/stencil_variants.hpp"

namespace jacobi3d {

template <class Simd>
struct row_sweep {
  using vector = typename Simd::vector;
  using mask = typename Simd::mask;
  static constexpr std::size_t width = Simd::width;

  const double* soon;  // data that a later row's sweep reads first, to prefetch
  const double *centre, *low_x, *high_x, *low_y, *high_y;
  const double *low_z, *high_z;  // pointers: a value would be loaded with a vector that was just stored
  double *low_face, *high_face;  // addresses for the row's new first and last cell
  std::size_t cells;

  // Writes whole vectors: lanes of the last vector that are beyond the row go to its padding. With Whole
  // there are no such lanes. A cell that becomes NaN, for lack of its halo, does not count as changed: a
  // maximum is its second operand if the first is NaN.
  template <bool Streaming, bool Fetch, bool Change, bool Whole>
  void run(double* to, vector& change) const {
    const auto relax = [&](std::size_t k, vector current, vector behind, vector ahead) {
      if constexpr (Fetch) __builtin_prefetch(soon + k, 0, 2);  // otherwise the row waits for main memory
      const vector sum = current + Simd::load(low_x + k) + Simd::load(high_x + k) + Simd::load(low_y + k) +
                         Simd::load(high_y + k) + behind + ahead;
      const vector value = Simd::seventh(sum);
      Simd::template store<Streaming>(to + k, value);
      return value;
    };
    std::size_t k = 0;
    vector current = Simd::load(centre), behind = Simd::behind(Simd::broadcast(*low_z), current);
    vector greatest = change;  // a copy, as each store of a cell might change the reference
    double first = 0;
    if (cells > width) {
      // Neighbours along the row are cheapest loaded from the cache. But while the row still comes from main
      // memory, a load across two lines waits for both.
      const auto inner = [&] {
        const vector next = Simd::load(centre + k + width);
        const vector value =
            relax(k, current, behind, Fetch ? Simd::ahead(current, next) : Simd::load(centre + k + 1));
        if constexpr (Change) greatest = Simd::maximum(Simd::magnitude(value - current), greatest);
        k += width;
        behind = Fetch ? Simd::behind(current, next) : Simd::load(centre + k - 1);
        current = next;
        return value;
      };
      first = inner()[0];
      while (k + width < cells) inner();
    }

    const vector high_neighbour = Simd::broadcast(*high_z);
    const std::size_t used = cells - k;  // lanes in use, 1 to width
    const mask lane = Simd::lanes();
    if constexpr (!Whole) current = lane == std::int64_t(used) ? high_neighbour : current;
    const vector value = relax(k, current, behind, Simd::ahead(current, high_neighbour));
    if constexpr (Change) {
      vector moved = Simd::magnitude(value - current);
      if constexpr (!Whole) moved = lane < std::int64_t(used) ? moved : Simd::broadcast(0);
      change = Simd::maximum(moved, greatest);
    }
    *low_face = cells > width ? first : value[0];
    *high_face = Whole ? value[width - 1] : Simd::lane(value, used - 1);
  }
};

template <class Simd, bool Streaming>
void copy_row(const double* from, double* to, std::size_t cells) {
  for (std::size_t k = 0; k < cells; k += Simd::width)
    Simd::template store<Streaming>(to + k, Simd::load(from + k));
}

// Sweeps an outermost row to the cells and to the outgoing faces of its sides.
template <class Simd, bool Streaming, bool Change, bool Whole>
[[gnu::noinline]] void run_outermost(const row_sweep<Simd>& row, const sweep_part_arguments& part,
                                     std::size_t i, std::size_t j, double* to,
                                     typename Simd::vector& change) {
  const auto& view = part.view;
  const std::size_t x_row = j * view.row_pitch, y_row = i * view.row_pitch;
  double* faces[4];
  std::size_t count = 0;
  if (i == 0 && view.face[0]) faces[count++] = view.face[0] + x_row;
  if (i + 1 == part.nx && view.face[1]) faces[count++] = view.face[1] + x_row;
  if (j == 0 && view.face[2]) faces[count++] = view.face[2] + y_row;
  if (j + 1 == part.ny && view.face[3]) faces[count++] = view.face[3] + y_row;
  if (count == 0) return row.template run<Streaming, Streaming, Change, Whole>(to, change);
  row.template run<false, Streaming, Change, Whole>(faces[0], change);
  for (std::size_t face = 1; face < count; ++face) copy_row<Simd, false>(faces[0], faces[face], row.cells);
  copy_row<Simd, Streaming>(faces[0], to, row.cells);
}

template <class Simd, bool Streaming, bool Change, bool Whole>
double sweep_rows(const sweep_part_arguments& part) {
  const auto& view = part.view;
  const std::size_t nx = part.nx, ny = part.ny;
  auto change = Simd::broadcast(0);
  double unwanted;
  for (std::size_t tile = part.first_row; tile < part.last_row; tile += part.tile_rows) {
    const std::size_t left = part.last_row - tile;
    const std::size_t tile_end = tile + (part.tile_rows < left ? part.tile_rows : left);
    for (std::size_t i = part.first_plane; i < part.last_plane; ++i) {
      const bool first_plane = i == 0, last_plane = i + 1 == nx;
      const double* centre = view.now + i * view.plane_pitch + tile * view.row_pitch;
      double* to = view.next + i * view.plane_pitch + tile * view.row_pitch;
      const std::size_t x_row = tile * view.row_pitch, y_row = i * view.row_pitch, z_cell = i * ny + tile;
      const std::size_t low_face_pitch = view.face[4] ? 1 : 0, high_face_pitch = view.face[5] ? 1 : 0;
      row_sweep<Simd> row{
          .soon = centre,
          .centre = centre,
          .low_x = first_plane ? view.halo[0] + x_row : centre - view.plane_pitch,
          .high_x = last_plane ? view.halo[1] + x_row : centre + view.plane_pitch,
          .low_y = tile > 0 ? centre - view.row_pitch : view.halo[2] + y_row,
          .high_y = centre + view.row_pitch,
          .low_z = view.halo[4] + z_cell,
          .high_z = view.halo[5] + z_cell,
          .low_face = view.face[4] ? view.face[4] + z_cell : &unwanted,
          .high_face = view.face[5] ? view.face[5] + z_cell : &unwanted,
          .cells = part.nz,
      };
      for (std::size_t j = tile; j < tile_end; ++j) {
        if constexpr (Streaming) {
          std::size_t soon_plane = i + 1, soon_row = j + part.ahead;
          for (; soon_row >= tile_end; soon_row -= tile_end - tile) ++soon_plane;
          row.soon = soon_plane < nx ? view.now + soon_plane * view.plane_pitch + soon_row * view.row_pitch
                                     : row.centre;
        }
        if (j + 1 == ny) row.high_y = view.halo[3] + y_row;
        if (first_plane || last_plane || j == 0 || j + 1 == ny)
          run_outermost<Simd, Streaming, Change, Whole>(row, part, i, j, to, change);
        else
          row.template run<Streaming, Streaming, Change, Whole>(to, change);
        row.low_y = row.centre;
        row.centre += view.row_pitch;
        row.high_y = row.centre + view.row_pitch;
        row.low_x += view.row_pitch;
        row.high_x += view.row_pitch;
        ++row.low_z;
        ++row.high_z;
        row.low_face += low_face_pitch;
        row.high_face += high_face_pitch;
        to += view.row_pitch;
      }
    }
  }
  if constexpr (Streaming) Simd::drain();
  double greatest = 0;
  for (std::size_t lane = 0; lane < Simd::width; ++lane)
    greatest = change[lane] > greatest ? change[lane] : greatest;
  return greatest;
}

template <class Simd, bool Streaming, bool Change>
double sweep_part(const sweep_part_arguments& part) {
  return part.nz % Simd::width == 0 ? sweep_rows<Simd, Streaming, Change, true>(part)
                                    : sweep_rows<Simd, Streaming, Change, false>(part);
}

template <class Simd>
double sweep_part_with(const sweep_part_arguments& part) {
  if (part.streaming)
    return part.change ? sweep_part<Simd, true, true>(part) : sweep_part<Simd, true, false>(part);
  return part.change ? sweep_part<Simd, false, true>(part) : sweep_part<Simd, false, false>(part);
}

}  // namespace jacobi3d
