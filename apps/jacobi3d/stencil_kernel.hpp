// SPDX-License-Identifier: Apache-2.0
// The sweep, written once for vectors of any width. Each file stencil_<instruction set>.cpp includes it where
// its instructions are switched on, and instantiates it with its own Simd type. It calls no inline function
// of the standard library: the linker might keep the copy that needs those instructions for everybody.
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

  const double* soon;  // what a later row's sweep will be the first to read
  const double *centre, *low_x, *high_x, *low_y, *high_y;
  double low_z, high_z;
  double *low_face, *high_face;  // where the row's new first and last cell go
  std::size_t cells;

  vector relax(std::size_t k, vector previous, vector current, vector next) const {
    const vector sum = current + Simd::load(low_x + k) + Simd::load(high_x + k) + Simd::load(low_y + k) +
                       Simd::load(high_y + k) + Simd::behind(previous, current) + Simd::ahead(current, next);
    return Simd::seventh(sum);
  }

  // Writes whole vectors: those lanes of the last that lie beyond the row fall into its padding.
  template <bool Streaming, bool Fetch, bool Change>
  void run(double* to, vector& change) const {
    vector previous = Simd::broadcast(low_z), current = Simd::load(centre);
    std::size_t k = 0;
    double first = 0;
    const auto step = [&] {
      const vector next = Simd::load(centre + k + width);
      if constexpr (Fetch) __builtin_prefetch(soon + k, 0, 2);  // else the row waits for main memory
      const vector value = relax(k, previous, current, next);
      Simd::template store<Streaming>(to + k, value);
      if constexpr (Change) change = Simd::maximum(change, Simd::magnitude(value - current));
      previous = current;
      current = next;
      k += width;
      return value;
    };
    if (cells > width) first = step()[0];
    while (k + width < cells) step();

    if constexpr (Fetch) __builtin_prefetch(soon + k, 0, 2);
    const std::size_t used = cells - k;  // lanes, 1 to width
    const mask lane = Simd::lanes();
    current = lane == std::int64_t(used) ? Simd::broadcast(high_z) : current;
    const vector value = relax(k, previous, current, Simd::broadcast(high_z));
    Simd::template store<Streaming>(to + k, value);
    if constexpr (Change) {
      const vector moved = Simd::magnitude(value - current);
      change = Simd::maximum(change, lane < std::int64_t(used) ? moved : Simd::broadcast(0));
    }
    *low_face = cells > width ? first : value[0];
    *high_face = Simd::lane(value, used - 1);
  }
};

template <class Simd, bool Streaming>
void copy_row(const double* from, double* to, std::size_t cells) {
  for (std::size_t k = 0; k < cells; k += Simd::width)
    Simd::template store<Streaming>(to + k, Simd::load(from + k));
}

template <class Simd, bool Streaming, bool Change>
double sweep_part(const sweep_part_arguments& part) {
  const auto& view = part.view;
  const std::size_t nx = part.nx, ny = part.ny, nz = part.nz;
  auto change = Simd::broadcast(0);
  double unwanted;
  for (std::size_t tile = 0; tile < ny; tile += part.tile_rows) {
    const std::size_t tile_end = tile + part.tile_rows < ny ? tile + part.tile_rows : ny;
    for (std::size_t i = part.first_plane; i < part.last_plane; ++i)
      for (std::size_t j = tile; j < tile_end; ++j) {
        const std::size_t here = i * view.plane_pitch + j * view.row_pitch;
        const std::size_t x_row = j * view.face_pitch, y_row = i * view.face_pitch, z_cell = i * ny + j;
        const double* centre = view.now + here;
        std::size_t soon_plane = i + 1, soon_row = j + part.ahead;
        for (; soon_row >= tile_end; soon_row -= tile_end - tile) ++soon_plane;
        const row_sweep<Simd> row{
            .soon = soon_plane < nx ? view.now + soon_plane * view.plane_pitch + soon_row * view.row_pitch
                                    : centre,
            .centre = centre,
            .low_x = i > 0 ? centre - view.plane_pitch : view.halo[0] + x_row,
            .high_x = i + 1 < nx ? centre + view.plane_pitch : view.halo[1] + x_row,
            .low_y = j > 0 ? centre - view.row_pitch : view.halo[2] + y_row,
            .high_y = j + 1 < ny ? centre + view.row_pitch : view.halo[3] + y_row,
            .low_z = view.halo[4][z_cell],
            .high_z = view.halo[5][z_cell],
            .low_face = view.face[4] ? view.face[4] + z_cell : &unwanted,
            .high_face = view.face[5] ? view.face[5] + z_cell : &unwanted,
            .cells = nz,
        };
        double* faces[4];
        std::size_t count = 0;
        if (i == 0 && view.face[0]) faces[count++] = view.face[0] + x_row;
        if (i + 1 == nx && view.face[1]) faces[count++] = view.face[1] + x_row;
        if (j == 0 && view.face[2]) faces[count++] = view.face[2] + y_row;
        if (j + 1 == ny && view.face[3]) faces[count++] = view.face[3] + y_row;
        if (count == 0) {
          row.template run<Streaming, Streaming, Change>(view.next + here, change);
          continue;
        }
        row.template run<false, Streaming, Change>(faces[0], change);
        for (std::size_t face = 1; face < count; ++face) copy_row<Simd, false>(faces[0], faces[face], nz);
        copy_row<Simd, Streaming>(faces[0], view.next + here, nz);
      }
  }
  if constexpr (Streaming) Simd::drain();
  double greatest = 0;
  for (std::size_t lane = 0; lane < Simd::width; ++lane)
    greatest = change[lane] > greatest ? change[lane] : greatest;
  return greatest;
}

template <class Simd>
double sweep_part_with(const sweep_part_arguments& part) {
  if (part.streaming)
    return part.change ? sweep_part<Simd, true, true>(part) : sweep_part<Simd, true, false>(part);
  return part.change ? sweep_part<Simd, false, true>(part) : sweep_part<Simd, false, false>(part);
}

}  // namespace jacobi3d
