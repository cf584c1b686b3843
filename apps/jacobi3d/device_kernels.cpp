// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/device_kernels.hpp"

#include <cstddef>
#include <cstdint>

#include "apps/harness/extents.hpp"
#include "apps/jacobi3d/native_kernels.hpp"

using harness::sides;
using imbrex::device_span;
using imbrex::kernel;
using imbrex::work_size;

namespace jacobi3d {
namespace {

#if IMBREX_HAS_CUDA
constexpr auto native_update = update_on_device;
constexpr auto native_update_with_faces = update_with_faces_on_device;
constexpr auto native_pack = pack_on_device;
constexpr auto native_unpack = unpack_on_device;
#else
constexpr auto native_update = nullptr;
constexpr auto native_update_with_faces = nullptr;
constexpr auto native_pack = nullptr;
constexpr auto native_unpack = nullptr;
#endif

/// The neighbouring rows of a row, and the cells beyond its ends.
struct row_neighbours {
  const double *low_x, *high_x, *low_y, *high_y;
  double low_z, high_z;
};

void update_row(const double* row, const row_neighbours& by, double* to, std::int64_t cells) {
  const auto value_at = [&](std::int64_t k, double low_z, double high_z) {
    return (row[k] + by.low_x[k] + by.high_x[k] + by.low_y[k] + by.high_y[k] + low_z + high_z) / 7.0;
  };
  if (cells == 1) {
    to[0] = value_at(0, by.low_z, by.high_z);
    return;
  }
  to[0] = value_at(0, by.low_z, row[1]);
  for (std::int64_t k = 1; k + 1 < cells; ++k) to[k] = value_at(k, row[k - 1], row[k + 1]);
  to[cells - 1] = value_at(cells - 1, row[cells - 2], by.high_z);
}

/// Calls visit(index in the array, index in the face).
template <class Visit>
void for_each(const device_face& face, Visit visit) {
  std::size_t in_face = 0;
  for (std::int64_t slow = 0; slow < face.slow_cells; ++slow)
    for (std::int64_t fast = 0; fast < face.fast_cells; ++fast)
      visit(face.first + static_cast<std::size_t>(slow * face.slow_pitch + fast * face.fast_pitch),
            in_face++);
}

void pack_on_host(device_span<const double> cells, outgoing_faces to, device_layout layout) {
  for (int side = 0; side < sides; ++side)
    if (double* const face = to.of[side])
      for_each(device_face(layout, side, false),
               [&](std::size_t cell, std::size_t at) { face[at] = cells.data()[cell]; });
}

void unpack_on_host(incoming_faces from, device_span<double> cells, device_layout layout) {
  for (int side = 0; side < sides; ++side)
    if (const double* const face = from.of[side])
      for_each(device_face(layout, side, true),
               [&](std::size_t cell, std::size_t at) { cells.data()[cell] = face[at]; });
}

void update_with_faces_on_host(device_span<const double> now, device_span<double> next, device_layout layout,
                               incoming_faces in, outgoing_faces out) {
  const auto pitch = static_cast<std::size_t>(layout.row_pitch);
  const auto plane = static_cast<std::size_t>(layout.plane_pitch);
  for (std::int64_t i = 0; i < layout.nx; ++i)
    for (std::int64_t j = 0; j < layout.ny; ++j) {
      const double* const row = now.data() + layout.at(i, j, 0);
      row_neighbours by{row - plane, row + plane, row - pitch, row + pitch, row[-1], row[layout.nz]};
      if (in.of[0] != nullptr && i == 0) by.low_x = in.of[0] + j * layout.nz;
      if (in.of[1] != nullptr && i + 1 == layout.nx) by.high_x = in.of[1] + j * layout.nz;
      if (in.of[2] != nullptr && j == 0) by.low_y = in.of[2] + i * layout.nz;
      if (in.of[3] != nullptr && j + 1 == layout.ny) by.high_y = in.of[3] + i * layout.nz;
      if (in.of[4] != nullptr) by.low_z = in.of[4][i * layout.ny + j];
      if (in.of[5] != nullptr) by.high_z = in.of[5][i * layout.ny + j];
      update_row(row, by, next.data() + layout.at(i, j, 0), layout.nz);
    }
  pack_on_host(next, out, layout);
}

void update_on_host(device_span<const double> now, device_span<double> next, device_layout layout) {
  update_with_faces_on_host(now, next, layout, {}, {});
}

// Each cell is read once and written once; repeated reads by neighbours hit the caches. The papers' figures
// come from kernels with one thread for each cell.
work_size update_work(device_span<const double>, device_span<double>, device_layout layout) {
  const auto cells = static_cast<double>(layout.cells());
  return {.bytes = 16 * cells, .flops = 7 * cells, .threads = layout.cells()};
}

template <class T>
std::size_t cells_of(const device_faces<T>& faces, const device_layout& layout) {
  std::size_t cells = 0;
  for (int side = 0; side < sides; ++side)
    if (faces.of[side] != nullptr) cells += layout.face_cells(side);
  return cells;
}

// Cells of faces are read or written in addition to the block's.
work_size update_with_faces_work(device_span<const double> now, device_span<double> next,
                                 device_layout layout, incoming_faces in, outgoing_faces out) {
  work_size work = update_work(now, next, layout);
  work.bytes += 8 * static_cast<double>(cells_of(in, layout) + cells_of(out, layout));
  return work;
}

work_size copy_work(std::size_t cells) {
  return {.bytes = 16 * static_cast<double>(cells), .threads = cells};
}

work_size pack_work(device_span<const double>, outgoing_faces to, device_layout layout) {
  return copy_work(cells_of(to, layout));
}

work_size unpack_work(incoming_faces from, device_span<double>, device_layout layout) {
  return copy_work(cells_of(from, layout));
}

}  // namespace

constexpr kernel<device_span<const double>, device_span<double>, device_layout> update{
    .name = "update", .native = native_update, .host = update_on_host, .work = update_work};

constexpr kernel<device_span<const double>, device_span<double>, device_layout, incoming_faces,
                 outgoing_faces>
    update_with_faces{.name = "update with faces",
                      .native = native_update_with_faces,
                      .host = update_with_faces_on_host,
                      .work = update_with_faces_work};

constexpr kernel<device_span<const double>, outgoing_faces, device_layout> pack{
    .name = "pack", .native = native_pack, .host = pack_on_host, .work = pack_work};

constexpr kernel<incoming_faces, device_span<double>, device_layout> unpack{
    .name = "unpack", .native = native_unpack, .host = unpack_on_host, .work = unpack_work};

}  // namespace jacobi3d
