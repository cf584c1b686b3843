// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/device_kernels.hpp"

#include <cstddef>
#include <cstdint>

#include "apps/jacobi3d/native_kernels.hpp"

using imbrex::device_span;
using imbrex::kernel;
using imbrex::work_size;

namespace jacobi3d {
namespace {

#if IMBREX_HAS_CUDA
constexpr auto native_update = update_on_device;
constexpr auto native_pack = pack_on_device;
constexpr auto native_unpack = unpack_on_device;
#else
constexpr auto native_update = nullptr;
constexpr auto native_pack = nullptr;
constexpr auto native_unpack = nullptr;
#endif

void update_on_host(device_span<const double> now, device_span<double> next, device_layout layout) {
  const auto row = static_cast<std::size_t>(layout.row_pitch);
  const auto plane = static_cast<std::size_t>(layout.plane_pitch);
  for (std::int64_t i = 0; i < layout.nx; ++i)
    for (std::int64_t j = 0; j < layout.ny; ++j) {
      const double* const c = now.data() + layout.at(i, j, 0);
      double* const to = next.data() + layout.at(i, j, 0);
      for (std::int64_t k = 0; k < layout.nz; ++k) {
        const double* const at = c + k;
        to[k] = (*at + *(at - plane) + at[plane] + *(at - row) + at[row] + at[-1] + at[1]) / 7.0;
      }
    }
}

/// Calls visit(position in the array, position in the face).
template <class Visit>
void for_each(const device_face& face, Visit visit) {
  std::size_t in_face = 0;
  for (std::int64_t slow = 0; slow < face.slow_cells; ++slow)
    for (std::int64_t fast = 0; fast < face.fast_cells; ++fast)
      visit(face.first + static_cast<std::size_t>(slow * face.slow_pitch + fast * face.fast_pitch),
            in_face++);
}

void pack_on_host(device_span<const double> cells, device_span<double> face, device_layout layout, int side) {
  for_each(device_face(layout, side, false),
           [&](std::size_t cell, std::size_t at) { face.data()[at] = cells.data()[cell]; });
}

void unpack_on_host(device_span<const double> face, device_span<double> cells, device_layout layout,
                    int side) {
  for_each(device_face(layout, side, true),
           [&](std::size_t cell, std::size_t at) { cells.data()[cell] = face.data()[at]; });
}

// Each cell is read once and written once: what neighbours read again comes from the caches. A kernel of one
// thread for each cell is what the papers' figures come from.
work_size update_work(device_span<const double>, device_span<double>, device_layout layout) {
  const auto cells = static_cast<double>(layout.cells());
  return {.bytes = 16 * cells, .flops = 7 * cells, .threads = layout.cells()};
}

work_size face_work(device_span<const double>, device_span<double>, device_layout layout, int side) {
  const std::size_t cells = layout.face_cells(side);
  return {.bytes = 16 * static_cast<double>(cells), .threads = cells};
}

}  // namespace

constexpr kernel<device_span<const double>, device_span<double>, device_layout> update{
    .name = "update", .native = native_update, .host = update_on_host, .work = update_work};

constexpr kernel<device_span<const double>, device_span<double>, device_layout, int> pack{
    .name = "pack", .native = native_pack, .host = pack_on_host, .work = face_work};

constexpr kernel<device_span<const double>, device_span<double>, device_layout, int> unpack{
    .name = "unpack", .native = native_unpack, .host = unpack_on_host, .work = face_work};

}  // namespace jacobi3d
