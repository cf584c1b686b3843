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
// The kernel is memory-bound: 16 bytes a cell, if every cell is loaded from memory once. A thread has two
// adjacent cells along z, in two rows along y, and marches along x. It keeps its cells of the previous and
// the next plane in registers, so that each is loaded once for three planes. Neighbours along z come from the
// warp's other lanes. Neighbours along y come from the thread's other row, or from the first-level cache,
// where another warp of the block has just loaded them. Cells beyond the block's own (19 % for 128 x 16, by
// sectors of 32 bytes) come from the second-level cache: blocks that run at the same time are neighbours and
// march abreast. On a multiprocessor 1,024 threads have 32 bytes each in flight: an H200, at 2.2 TB/s of
// loads and 0.8 us of latency, would need 13 of these 32 KiB.

constexpr unsigned lanes = 32;
constexpr unsigned cells_of_lane = 2;
constexpr unsigned rows_of_thread = 2;
constexpr unsigned warps_of_block = 16;
constexpr unsigned blocks_of_multiprocessor = 2;

// Each march reads two planes more than it writes, so it should be long. But the device should be full, and
// its blocks should not all end at once.
constexpr std::int64_t longest_march = 64;
constexpr std::int64_t shortest_march = 4;
constexpr std::int64_t target_blocks = 1024;

struct pair {
  double first, second;
};

__device__ inline pair load(const double* from) {
  const double2 both = *reinterpret_cast<const double2*>(from);
  return {both.x, both.y};
}

// New cells are read again only after all others: their stores bypass the caches.
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

// The division of the cells among blocks: tiles of a plane, and the length of their march; z runs fastest.
struct tiling {
  int nx, ny, nz;
  std::int64_t row_pitch, plane_pitch;
  unsigned tiles_of_row, tiles_of_plane;
  int march;
};

// The faces that are read instead of the layer around, and those that are also written; or `no_faces`.
struct block_faces {
  static constexpr bool exist = true;
  incoming_faces in;
  outgoing_faces out;
};
struct no_faces {
  static constexpr bool exist = false;
};

// The rows and cells of a thread that exist.
struct thread_cells {
  // The pair after the row's last cell is also loaded: the previous lane needs its first cell. The row after
  // the last, in the layer around, is loaded, too.
  bool has_pair;
  bool has_first, has_second, has_row;

  __device__ thread_cells(const tiling& part, int j, int k)
      : has_pair(k <= part.nz),
        has_first(k < part.nz),
        has_second(k + 1 < part.nz),
        has_row(j + 1 < part.ny) {}
};

// A face has no padding. Its pairs are aligned if its rows have even length.
__device__ inline void store_to_face(double* to, const pair& value, bool has_second, bool aligned) {
  if (has_second && aligned) {
    *reinterpret_cast<double2*>(to) = make_double2(value.first, value.second);
    return;
  }
  to[0] = value.first;
  if (has_second) to[1] = value.second;
}

// Loads a pair from a row of the array, or of a face. In a face the row's last cell is followed by other
// cells.
__device__ inline pair load(const double* from, const thread_cells& cells, bool of_face, bool aligned) {
  if (!of_face || (aligned && cells.has_first)) return load(from);
  return {cells.has_first ? from[0] : 0, cells.has_second ? from[1] : 0};
}

// Returns the value, hidden from the compiler. So it recomputes derived values in each plane, instead of
// keeping them in registers during the march.
__device__ inline int opaque(int value) {
#if IMBREX_GPU_HIP
  asm volatile("" : "+v"(value));
#else
  asm volatile("" : "+r"(value));
#endif
  return value;
}

// Faces that a thread reads and writes in each plane, as bits.
enum edge : unsigned {
  reads_low_y = 1U << 0,
  reads_high_y = 1U << 1,
  reads_low_z = 1U << 2,
  reads_first = 1U << 3,    // the cell beyond the row's end is this pair's first cell
  reads_second = 1U << 4,   // the cell beyond the row's end is this pair's second cell
  reads_outside = 1U << 5,  // no lane has it, as the row ends with the warp
  writes_low_y = 1U << 6,
  writes_high_y = 1U << 7,
  writes_low_z = 1U << 8,
  writes_high_z = 1U << 9,
};

__device__ inline unsigned edges_of(const block_faces& faces, const tiling& part, int j, int k,
                                    unsigned lane) {
  const auto& in = faces.in.of;
  const auto& out = faces.out.of;
  unsigned edges = 0;
  if (in[2] != nullptr && j == 0) edges |= reads_low_y;
  if (in[3] != nullptr && j + int(rows_of_thread) >= part.ny) edges |= reads_high_y;
  if (in[4] != nullptr && k == 0) edges |= reads_low_z;
  if (in[5] != nullptr && k == part.nz) edges |= reads_first;
  if (in[5] != nullptr && k + 1 == part.nz) edges |= reads_second;
  if (in[5] != nullptr && k + 2 == part.nz && lane == lanes - 1) edges |= reads_outside;
  if (k >= part.nz) return edges;
  if (out[2] != nullptr && j == 0) edges |= writes_low_y;
  if (out[3] != nullptr && j + int(rows_of_thread) >= part.ny) edges |= writes_high_y;
  if (out[4] != nullptr && k == 0) edges |= writes_low_z;
  if (out[5] != nullptr && k + 2 >= part.nz) edges |= writes_high_z;
  return edges;
}

__device__ inline const double* face_of(const block_faces& faces, int side) { return faces.in.of[side]; }
__device__ inline const double* face_of(const no_faces&, int) { return nullptr; }

// The pointers address cell (0, 0, 0).
template <class Faces>
__device__ inline void march(const double* __restrict__ now, double* __restrict__ next, const tiling& part,
                             const Faces& faces) {
  const unsigned tile = blockIdx.x % part.tiles_of_plane;
  const int j = int((tile / part.tiles_of_row * blockDim.y + threadIdx.y) * rows_of_thread);
  const int k = int((tile % part.tiles_of_row * blockDim.x + threadIdx.x) * cells_of_lane);
  const unsigned lane = threadIdx.x % lanes;
  // Only whole warps return, so that shuffles between lanes work.
  if (j >= part.ny || k - int(lane * cells_of_lane) >= part.nz) return;

  int i = int(blockIdx.x / part.tiles_of_plane) * part.march;
  const int end = part.nx - i < part.march ? part.nx : i + part.march;
  const double* at = now + (i * part.plane_pitch + j * part.row_pitch + k);
  double* to = next + (at - now);

  pair low[rows_of_thread] = {}, here[rows_of_thread] = {}, high[rows_of_thread] = {};
  pair low_row = {}, high_row = {};
  double outside[rows_of_thread] = {};
  unsigned edges = 0;
  const thread_cells first(part, j, k);
  if constexpr (Faces::exist) edges = edges_of(faces, part, j, k, lane);
  if (first.has_pair) {
    const bool of_face = face_of(faces, 0) != nullptr && i == 0;
    for (unsigned row = 0; row < rows_of_thread; ++row) here[row] = load(at + row * part.row_pitch);
    for (unsigned row = 0; row < rows_of_thread; ++row)
      if (!of_face || row == 0 || first.has_row)
        low[row] = load(of_face ? face_of(faces, 0) + (j + row) * std::int64_t(part.nz) + k
                                : at + row * part.row_pitch - part.plane_pitch,
                        first, of_face, part.nz % 2 == 0);
  }

  for (; i < end; ++i) {
    const int y = Faces::exist ? opaque(j) : j, z = Faces::exist ? opaque(k) : k;
    const thread_cells cells(part, y, z);
    const bool aligned = part.nz % 2 == 0;
    if (cells.has_pair) {
      const bool of_face = face_of(faces, 1) != nullptr && i + 1 == part.nx;
      const double* const plane =
          of_face ? face_of(faces, 1) + y * std::int64_t(part.nz) + z : at + part.plane_pitch;
      const std::int64_t pitch = of_face ? part.nz : part.row_pitch;
      for (unsigned row = 0; row < rows_of_thread; ++row)
        if (!of_face || row == 0 || cells.has_row)
          high[row] = load(plane + row * pitch, cells, of_face, aligned);
    }
    if (cells.has_pair) {
      bool of_face = (edges & reads_low_y) != 0;
      low_row = load(of_face ? face_of(faces, 2) + i * std::int64_t(part.nz) + z : at - part.row_pitch, cells,
                     of_face, aligned);
      of_face = (edges & reads_high_y) != 0;
      const double* const next_row =
          of_face ? face_of(faces, 3) + i * std::int64_t(part.nz) + z : at + rows_of_thread * part.row_pitch;
      if (cells.has_row)
        high_row = load(next_row, cells, of_face, aligned);
      else if (of_face)
        here[rows_of_thread - 1] = load(next_row, cells, of_face, aligned);
    }
    if ((lane == 0 && cells.has_first) || (lane == lanes - 1 && cells.has_second)) {
      const double* from = at + (lane == 0 ? -1 : 2);
      std::int64_t pitch = part.row_pitch;
      if constexpr (Faces::exist)
        if (edges & (reads_low_z | reads_outside)) {
          from = (edges & reads_low_z ? faces.in.of[4] : faces.in.of[5]) + i * std::int64_t(part.ny) + y;
          pitch = 1;
        }
      for (unsigned row = 0; row < rows_of_thread; ++row)
        if (!Faces::exist || row == 0 || cells.has_row) outside[row] = from[row * pitch];
    }
    if constexpr (Faces::exist)
      if (edges & (reads_first | reads_second))
        for (unsigned row = 0; row < rows_of_thread; ++row)
          if (row == 0 || cells.has_row)
            (edges & reads_first ? here[row].first : here[row].second) =
                faces.in.of[5][i * std::int64_t(part.ny) + y + row];

    for (unsigned row = 0; row < rows_of_thread; ++row) {
      const pair low_y = row == 0 ? low_row : here[row - 1];
      const pair high_y = row + 1 < rows_of_thread ? here[row + 1] : high_row;
      const double before = of_lane_before(here[row].second), after = of_lane_after(here[row].first);
      const double low_z = lane == 0 ? outside[row] : before;
      const double high_z = lane == lanes - 1 ? outside[row] : after;
      // The additions have the host's order: see stencil.hpp.
      const pair value{seventh(here[row].first + low[row].first + high[row].first + low_y.first +
                               high_y.first + low_z + here[row].second),
                       seventh(here[row].second + low[row].second + high[row].second + low_y.second +
                               high_y.second + here[row].first + high_z)};
      if (row == 0 || cells.has_row) {
        if (cells.has_second)
          store(to + row * part.row_pitch, value);
        else if (cells.has_first)
          to[row * part.row_pitch] = value.first;
      }
      if constexpr (Faces::exist) {
        if (!cells.has_first || (row != 0 && !cells.has_row)) continue;
        const auto& out = faces.out.of;
        const int row_y = opaque(j) + int(row), row_z = opaque(k);
        const std::int64_t in_x = row_y * std::int64_t(part.nz) + row_z;
        if (out[0] != nullptr && i == 0) store_to_face(out[0] + in_x, value, cells.has_second, aligned);
        if (out[1] != nullptr && i + 1 == part.nx)
          store_to_face(out[1] + in_x, value, cells.has_second, aligned);
        if (edges >= writes_low_y) {
          const std::int64_t in_y = i * std::int64_t(part.nz) + row_z;
          if ((edges & writes_low_y) && row == 0)
            store_to_face(out[2] + in_y, value, cells.has_second, aligned);
          if ((edges & writes_high_y) && cells.has_row == (row != 0))
            store_to_face(out[3] + in_y, value, cells.has_second, aligned);
          const std::int64_t in_z = i * std::int64_t(part.ny) + row_y;
          if (edges & writes_low_z) out[4][in_z] = value.first;
          if (edges & writes_high_z) out[5][in_z] = cells.has_second ? value.second : value.first;
        }
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

__global__ void __launch_bounds__(lanes* warps_of_block, blocks_of_multiprocessor)
    update_kernel(const double* __restrict__ now, double* __restrict__ next, tiling part) {
  march(now, next, part, no_faces{});
}

__global__ void __launch_bounds__(lanes* warps_of_block, blocks_of_multiprocessor)
    update_with_faces_kernel(const double* __restrict__ now, double* __restrict__ next, tiling part,
                             block_faces faces) {
  march(now, next, part, faces);
}

std::int64_t parts(std::int64_t of, std::int64_t size) { return (of + size - 1) / size; }
std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
std::int64_t within(std::int64_t low, std::int64_t value, std::int64_t high) {
  return value < low ? low : least(value, high);
}

// ---- pack and unpack ----
//
// Each block handles cells of one face only, so that no warp diverges between two. Sides in x and y are read
// by rows. At the sides in z each cell is in a row of its own: then each cell moves a 32-byte sector, for any
// distribution of cells among threads. If the rest of the sector is padding, unpack writes the whole sector
// with more threads: a partial write would make the device read the sector first.

constexpr unsigned threads_of_face_block = 256;
constexpr int most_faces = 6;
constexpr std::int64_t cells_of_sector = 4;

// For large faces a thread handles several cells, in separate rows, as finding the first cell takes as long
// as some copies. For small faces it handles one cell, so that there are threads for the whole device.
constexpr unsigned most_turns = 4;
constexpr std::size_t cells_of_small_faces = 400'000;

// A face without padding: its first cell, the pitches of the others, and the threads that handle them, in
// tiles of the face.
template <class Cell, class FaceCell>
struct face_part {
  Cell* cells;
  FaceCell* face;
  std::int64_t slow_cells, slow_pitch;
  std::int64_t fast_cells, fast_pitch;
  bool by_sectors;
  int place_in_sector;  // position of the cell in its sector
  unsigned fast_bits;   // bits of the column in a thread's number in its block; the higher bits count rows
  unsigned tiles_of_row;
  unsigned end;  // first block after those of this face
};

template <class Cell, class FaceCell>
struct face_parts {
  face_part<Cell, FaceCell> of[most_faces];
  unsigned turns;
};
using pack_parts = face_parts<const double, double>;
using unpack_parts = face_parts<double, const double>;

// Calls copy(cell, address in the face, offset) for the cells of this thread. The offset in doubles leads
// from the cell to the double that this thread writes in the cell's sector.
template <class Cell, class FaceCell, class Copy>
__device__ inline void for_each_cell(const face_part<Cell, FaceCell>& part, unsigned block, unsigned turns,
                                     Copy copy) {
  const unsigned rows = threads_of_face_block >> part.fast_bits;
  const unsigned column = threadIdx.x & ((1U << part.fast_bits) - 1);
  const std::int64_t thread = (std::int64_t(block % part.tiles_of_row) << part.fast_bits) + column;
  const std::int64_t fast = part.by_sectors ? thread / cells_of_sector : thread;
  if (fast >= part.fast_cells) return;
  const int beside = part.by_sectors ? int(thread % cells_of_sector) - part.place_in_sector : 0;
  const std::int64_t slow =
      std::int64_t(block / part.tiles_of_row) * rows * turns + (threadIdx.x >> part.fast_bits);
  Cell* const cell = part.cells + slow * part.slow_pitch + fast * part.fast_pitch;
  FaceCell* const in_face = part.face + slow * part.fast_cells + fast;
#pragma unroll
  for (unsigned turn = 0; turn < most_turns; ++turn)
    if (turn < turns && slow + turn * rows < part.slow_cells)
      copy(cell + turn * rows * part.slow_pitch, in_face + turn * rows * part.fast_cells, beside);
}

template <class Cell, class FaceCell, class Copy>
__device__ inline void for_each_cell(const face_parts<Cell, FaceCell>& all, Copy copy) {
  unsigned begin = 0;
  for (int which = 0; which + 1 < most_faces; ++which) {
    if (blockIdx.x < all.of[which].end)
      return for_each_cell(all.of[which], blockIdx.x - begin, all.turns, copy);
    begin = all.of[which].end;
  }
  for_each_cell(all.of[most_faces - 1], blockIdx.x - begin, all.turns, copy);
}

__global__ void __launch_bounds__(threads_of_face_block) pack_kernel(pack_parts all) {
  for_each_cell(all, [](const double* cell, double* in_face, int) { *in_face = *cell; });
}

__global__ void __launch_bounds__(threads_of_face_block) unpack_kernel(unpack_parts all) {
  for_each_cell(all, [](double* cell, const double* in_face, int beside) {
    cell[beside] = beside == 0 ? *in_face : 0;
  });
}

// True if the sectors of a side's outer layer contain no other cells.
bool has_sectors(const device_layout& layout, int side) {
  return layout.row_pitch - layout.nz > cells_of_sector &&
         (side == 4 || (side == 5 && layout.nz % cells_of_sector == 0));
}

template <class Cell, class FaceCell>
struct face_launch {
  face_parts<Cell, FaceCell> all{};
  unsigned blocks = 0;

  face_launch(Cell* cells, const device_faces<FaceCell>& faces, const device_layout& layout, bool outside) {
    std::size_t count = 0;
    for (int side = 0; side < most_faces; ++side)
      if (faces.of[side] != nullptr) count += layout.face_cells(side);
    all.turns = count > cells_of_small_faces ? most_turns : 1;
    for (int side = 0; side < most_faces; ++side) {
      face_part<Cell, FaceCell>& part = all.of[side];
      if (faces.of[side] != nullptr) {
        const device_face face(layout, side, outside);
        part = {cells + face.first, faces.of[side],  face.slow_cells,
                face.slow_pitch,    face.fast_cells, face.fast_pitch};
        part.by_sectors = outside && has_sectors(layout, side);
        part.place_in_sector = side == 4 ? cells_of_sector - 1 : 0;
        const std::int64_t columns = face.fast_cells * (part.by_sectors ? cells_of_sector : 1);
        while ((1U << part.fast_bits) < threads_of_face_block && (1 << part.fast_bits) < columns)
          ++part.fast_bits;
        part.tiles_of_row = unsigned(parts(columns, 1 << part.fast_bits));
        const unsigned rows = (threads_of_face_block >> part.fast_bits) * all.turns;
        blocks += part.tiles_of_row * unsigned(parts(face.slow_cells, rows));
      }
      part.end = blocks;
    }
  }
};

// The division of a block's cells among thread blocks: 128 x 16 cells, or fewer or shorter rows in small
// blocks.
struct update_launch {
  tiling part;
  dim3 blocks, threads;

  explicit update_launch(const device_layout& layout)
      : part{int(layout.nx), int(layout.ny), int(layout.nz), layout.row_pitch, layout.plane_pitch, 0, 0, 0} {
    const std::int64_t most_rows = parts(layout.ny, rows_of_thread);
    const std::int64_t most_columns = parts(layout.nz, lanes * cells_of_lane);
    const std::int64_t rows = least(most_rows, most_columns > 1 ? warps_of_block / 2 : warps_of_block);
    const std::int64_t columns = least(most_columns, warps_of_block / rows);

    part.tiles_of_row = unsigned(parts(most_columns, columns));
    part.tiles_of_plane = part.tiles_of_row * unsigned(parts(most_rows, rows));
    part.march = int(within(shortest_march, layout.nx * part.tiles_of_plane / target_blocks, longest_march));
    blocks = dim3(part.tiles_of_plane * unsigned(parts(layout.nx, part.march)));
    threads = dim3(lanes * unsigned(columns), unsigned(rows));
  }
};

gpu_stream stream_of(imbrex::native_stream on) { return static_cast<gpu_stream>(on.handle); }

}  // namespace

void update_on_device(imbrex::native_stream on, imbrex::device_span<const double> now,
                      imbrex::device_span<double> next, device_layout layout) {
  const update_launch launch(layout);
  const std::size_t first = layout.at(0, 0, 0);
  update_kernel<<<launch.blocks, launch.threads, 0, stream_of(on)>>>(now.data() + first, next.data() + first,
                                                                     launch.part);
}

void update_with_faces_on_device(imbrex::native_stream on, imbrex::device_span<const double> now,
                                 imbrex::device_span<double> next, device_layout layout, incoming_faces in,
                                 outgoing_faces out) {
  const update_launch launch(layout);
  const std::size_t first = layout.at(0, 0, 0);
  update_with_faces_kernel<<<launch.blocks, launch.threads, 0, stream_of(on)>>>(
      now.data() + first, next.data() + first, launch.part, block_faces{in, out});
}

void pack_on_device(imbrex::native_stream on, imbrex::device_span<const double> cells, outgoing_faces to,
                    device_layout layout) {
  const face_launch launch(cells.data(), to, layout, false);
  if (launch.blocks == 0) return;
  pack_kernel<<<launch.blocks, threads_of_face_block, 0, stream_of(on)>>>(launch.all);
}

void unpack_on_device(imbrex::native_stream on, incoming_faces from, imbrex::device_span<double> cells,
                      device_layout layout) {
  const face_launch launch(cells.data(), from, layout, true);
  if (launch.blocks == 0) return;
  unpack_kernel<<<launch.blocks, threads_of_face_block, 0, stream_of(on)>>>(launch.all);
}

}  // namespace jacobi3d
