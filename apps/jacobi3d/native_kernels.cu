// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/native_kernels.hpp"

#include <cstdint>

#include "apps/jacobi3d/seventh.hpp"

#if IMBREX_GPU_HIP
#include <hip/hip_runtime.h>
using gpu_stream = hipStream_t;
#else
using gpu_stream = cudaStream_t;
#endif

namespace jacobi3d {
namespace {

// ---- update ----
//
// It is bound by memory: 16 bytes a cell, if every cell comes from memory once. A thread has two cells along
// z, which are adjacent, in two rows along y, and marches along x. Of its cells it holds those of the plane
// before and the plane after in registers, so that each is loaded once for three planes. Neighbours along z
// come from the warp's other lanes; those along y from the thread's other row, or from the first-level cache,
// where another warp of the block has just loaded them. What a block reads beyond its own cells (19 % for
// 128 x 16, by sectors of 32 bytes) comes from the second-level cache: blocks that run at the same time lie
// side by side and march abreast. On a multiprocessor 1,024 threads have 32 bytes each under way: an H200, at
// 2.2 TB/s of loads and 0.8 us of latency, would need 13 of these 32 KiB.

constexpr unsigned lanes = 32;
constexpr unsigned cells_of_lane = 2;
constexpr unsigned rows_of_thread = 2;
constexpr unsigned warps_of_block = 16;
constexpr unsigned blocks_of_multiprocessor = 2;

// Each march reads two planes more than it writes, so it should be long; but the device should be full, and
// its blocks should not all end at once.
constexpr std::int64_t longest_march = 64;
constexpr std::int64_t shortest_march = 4;
constexpr std::int64_t wanted_blocks = 1024;

struct pair {
  double first, second;
};

__device__ inline pair load(const double* from) {
  const double2 both = *reinterpret_cast<const double2*>(from);
  return {both.x, both.y};
}

// The new cells are not read again before all others were: they need not displace cells from the caches.
__device__ inline void store(double* to, const pair& value) {
#if IMBREX_GPU_HIP
  __builtin_nontemporal_store(value.first, to);
  __builtin_nontemporal_store(value.second, to + 1);
#else
  __stcs(reinterpret_cast<double2*>(to), make_double2(value.first, value.second));
#endif
}

__device__ inline double of_lane_before(double value) {
#if IMBREX_GPU_HIP
  return __shfl_up(value, 1, lanes);
#else
  return __shfl_up_sync(0xffffffffU, value, 1);
#endif
}

__device__ inline double of_lane_after(double value) {
#if IMBREX_GPU_HIP
  return __shfl_down(value, 1, lanes);
#else
  return __shfl_down_sync(0xffffffffU, value, 1);
#endif
}

// How the cells are given to blocks: tiles of a plane, and how far they march; z runs fastest.
struct tiling {
  std::int64_t nx, ny, nz;
  std::int64_t row_pitch, plane_pitch;
  unsigned tiles_of_row, tiles_of_plane;
  std::int64_t march;
};

// The pointers are to the cell (0, 0, 0).
__global__ void __launch_bounds__(lanes* warps_of_block, blocks_of_multiprocessor)
    update_kernel(const double* __restrict__ now, double* __restrict__ next, tiling part) {
  const unsigned tile = blockIdx.x % part.tiles_of_plane;
  const std::int64_t j = (std::int64_t(tile / part.tiles_of_row) * blockDim.y + threadIdx.y) * rows_of_thread;
  const std::int64_t k = (std::int64_t(tile % part.tiles_of_row) * blockDim.x + threadIdx.x) * cells_of_lane;
  const unsigned lane = threadIdx.x % lanes;
  // Whole warps leave, so that lanes can still ask each other.
  if (j >= part.ny || k - lane * cells_of_lane >= part.nz) return;

  // The pair after the row's last cell is loaded, too: the lane before needs the first of it. So is the row
  // after the last, which is of the layer around.
  const bool loads = k <= part.nz;
  const bool has_first = k < part.nz, has_second = k + 1 < part.nz, has_row = j + 1 < part.ny;
  const bool asks_memory = (lane == 0 && has_first) || (lane == lanes - 1 && has_second);
  const std::int64_t beyond = lane == 0 ? -1 : 2;

  const std::int64_t first_plane = std::int64_t(blockIdx.x / part.tiles_of_plane) * part.march;
  const std::int64_t planes = part.nx - first_plane < part.march ? part.nx - first_plane : part.march;
  const std::int64_t start = first_plane * part.plane_pitch + j * part.row_pitch + k;
  const double* at = now + start;
  double* to = next + start;

  pair low[rows_of_thread] = {}, here[rows_of_thread] = {}, high[rows_of_thread] = {};
  pair low_row = {}, high_row = {};
  double outside[rows_of_thread] = {};
  if (loads)
    for (unsigned row = 0; row < rows_of_thread; ++row) {
      low[row] = load(at + row * part.row_pitch - part.plane_pitch);
      here[row] = load(at + row * part.row_pitch);
    }

  for (std::int64_t plane = 0; plane < planes; ++plane) {
    if (loads) {
      for (unsigned row = 0; row < rows_of_thread; ++row)
        high[row] = load(at + row * part.row_pitch + part.plane_pitch);
      low_row = load(at - part.row_pitch);
      if (has_row) high_row = load(at + rows_of_thread * part.row_pitch);
    }
    if (asks_memory)
      for (unsigned row = 0; row < rows_of_thread; ++row) outside[row] = at[row * part.row_pitch + beyond];

    for (unsigned row = 0; row < rows_of_thread; ++row) {
      const pair low_y = row == 0 ? low_row : here[row - 1];
      const pair high_y = row + 1 < rows_of_thread ? here[row + 1] : high_row;
      const double before = of_lane_before(here[row].second), after = of_lane_after(here[row].first);
      const double low_z = lane == 0 ? outside[row] : before;
      const double high_z = lane == lanes - 1 ? outside[row] : after;
      // The order of additions is the host's: see stencil.hpp.
      const pair value{seventh(here[row].first + low[row].first + high[row].first + low_y.first +
                               high_y.first + low_z + here[row].second),
                       seventh(here[row].second + low[row].second + high[row].second + low_y.second +
                               high_y.second + here[row].first + high_z)};
      if (row == 0 || has_row) {
        if (has_second)
          store(to + row * part.row_pitch, value);
        else if (has_first)
          to[row * part.row_pitch] = value.first;
      }
    }
    for (unsigned row = 0; row < rows_of_thread; ++row) {
      low[row] = here[row];
      here[row] = high[row];
    }
    at += part.plane_pitch;
    to += part.plane_pitch;
  }
}

std::int64_t parts(std::int64_t of, std::int64_t size) { return (of + size - 1) / size; }
std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
std::int64_t within(std::int64_t low, std::int64_t value, std::int64_t high) {
  return value < low ? low : least(value, high);
}

// ---- pack and unpack ----
//
// A thread for each cell. Sides of x and y are read by rows. Of the sides of z each cell lies in a row of its
// own: there a 32-byte sector is moved for each, whichever way they are given to threads.

constexpr unsigned threads_of_face_block = 256;

// The first cell of the face and where the others are; the face itself has no padding.
struct face_part {
  std::int64_t slow_cells, slow_pitch;
  std::int64_t fast_cells, fast_pitch;
  unsigned tiles_of_row;
};

struct face_place {
  bool exists;
  std::int64_t cell, in_face;
};

__device__ inline face_place place_of_thread(const face_part& part) {
  const std::int64_t slow = std::int64_t(blockIdx.x / part.tiles_of_row) * blockDim.y + threadIdx.y;
  const std::int64_t fast = std::int64_t(blockIdx.x % part.tiles_of_row) * blockDim.x + threadIdx.x;
  return {slow < part.slow_cells && fast < part.fast_cells, slow * part.slow_pitch + fast * part.fast_pitch,
          slow * part.fast_cells + fast};
}

__global__ void __launch_bounds__(threads_of_face_block)
    pack_kernel(const double* __restrict__ cells, double* __restrict__ face, face_part part) {
  const face_place place = place_of_thread(part);
  if (place.exists) face[place.in_face] = cells[place.cell];
}

__global__ void __launch_bounds__(threads_of_face_block)
    unpack_kernel(const double* __restrict__ face, double* __restrict__ cells, face_part part) {
  const face_place place = place_of_thread(part);
  if (place.exists) cells[place.cell] = face[place.in_face];
}

struct face_launch {
  face_part part;
  dim3 blocks, threads;

  explicit face_launch(const device_face& face)
      : part{face.slow_cells, face.slow_pitch, face.fast_cells, face.fast_pitch, 0} {
    unsigned fast_threads = 1;
    while (fast_threads < threads_of_face_block && fast_threads < face.fast_cells) fast_threads *= 2;
    threads = dim3(fast_threads, threads_of_face_block / fast_threads);
    part.tiles_of_row = unsigned(parts(face.fast_cells, threads.x));
    blocks = dim3(part.tiles_of_row * unsigned(parts(face.slow_cells, threads.y)));
  }
};

}  // namespace

void update_on_device(imbrex::native_stream on, imbrex::device_span<const double> now,
                      imbrex::device_span<double> next, device_layout layout) {
  // 128 x 16 cells where there are as many; else as many rows, or as long ones, as there are.
  const std::int64_t most_rows = parts(layout.ny, rows_of_thread);
  const std::int64_t most_columns = parts(layout.nz, lanes * cells_of_lane);
  std::int64_t rows = least(most_rows, most_columns > 1 ? warps_of_block / 2 : warps_of_block);
  const std::int64_t columns = least(most_columns, warps_of_block / rows);

  tiling part{layout.nx, layout.ny, layout.nz, layout.row_pitch, layout.plane_pitch, 0, 0, 0};
  part.tiles_of_row = unsigned(parts(most_columns, columns));
  part.tiles_of_plane = part.tiles_of_row * unsigned(parts(most_rows, rows));
  part.march = within(shortest_march, layout.nx * part.tiles_of_plane / wanted_blocks, longest_march);

  const dim3 blocks(part.tiles_of_plane * unsigned(parts(layout.nx, part.march)));
  const dim3 threads(lanes * unsigned(columns), unsigned(rows));
  const std::size_t first = layout.at(0, 0, 0);
  update_kernel<<<blocks, threads, 0, static_cast<gpu_stream>(on.handle)>>>(now.data() + first,
                                                                            next.data() + first, part);
}

void pack_on_device(imbrex::native_stream on, imbrex::device_span<const double> cells,
                    imbrex::device_span<double> face, device_layout layout, int side) {
  const device_face of(layout, side, false);
  const face_launch launch(of);
  pack_kernel<<<launch.blocks, launch.threads, 0, static_cast<gpu_stream>(on.handle)>>>(
      cells.data() + of.first, face.data(), launch.part);
}

void unpack_on_device(imbrex::native_stream on, imbrex::device_span<const double> face,
                      imbrex::device_span<double> cells, device_layout layout, int side) {
  const device_face of(layout, side, true);
  const face_launch launch(of);
  unpack_kernel<<<launch.blocks, launch.threads, 0, static_cast<gpu_stream>(on.handle)>>>(
      face.data(), cells.data() + of.first, launch.part);
}

}  // namespace jacobi3d
