// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/native_box_moves.hpp>

#if IMBREX_GPU_HIP
#include <hip/hip_runtime.h>
#define IMBREX_GRID_CONSTANT
using gpu_stream = hipStream_t;
#else
#define IMBREX_GRID_CONSTANT __grid_constant__
using gpu_stream = cudaStream_t;
#endif

namespace imbrex::grid::detail {
namespace {

constexpr unsigned threads = 256;
// Each thread copies several words of a large box, so that few blocks have to wait.
constexpr unsigned most_blocks = 1024;

// Adjacent threads copy adjacent words, in a parcel and in a row of cells. No box has more words than an int
// counts.
template <class Word>
__device__ inline void move_words(const box_move& move) {
  const unsigned words = move.words_of_cell;
  const unsigned row = move.extents[2] * words;
  const unsigned rows = move.extents[1];
  const unsigned all = row * rows * move.extents[0];
  for (unsigned at = blockIdx.x * threads + threadIdx.x; at < all; at += gridDim.x * threads) {
    const unsigned in_row = at % row, which = at / row;
    const std::int64_t i = which / rows, j = which % rows, k = in_row / words;
    const std::int64_t in_cell = in_row % words * sizeof(Word);
    const char* const from =
        move.from + i * move.from_strides[0] + j * move.from_strides[1] + k * move.from_strides[2] + in_cell;
    char* const to =
        move.to + i * move.to_strides[0] + j * move.to_strides[1] + k * move.to_strides[2] + in_cell;
    *reinterpret_cast<Word*>(to) = *reinterpret_cast<const Word*>(from);
  }
}

__global__ void __launch_bounds__(threads) move_boxes_kernel(const IMBREX_GRID_CONSTANT box_moves moves) {
  const box_move& move = moves.of[blockIdx.y];
  switch (move.bytes_of_word) {
    case 1: return move_words<std::uint8_t>(move);
    case 2: return move_words<std::uint16_t>(move);
    case 4: return move_words<std::uint32_t>(move);
    case 8: return move_words<std::uint64_t>(move);
    default: return move_words<uint4>(move);
  }
}

}  // namespace

void move_boxes_on_device(native_stream on, box_moves moves) {
  unsigned blocks = 0;
  for (int m = 0; m < moves.count; ++m) {
    const box_move& move = moves.of[m];
    const unsigned words = unsigned(move.extents[0]) * move.extents[1] * move.extents[2] * move.words_of_cell;
    const unsigned needed_blocks = (words + threads - 1) / threads;
    if (needed_blocks > blocks) blocks = needed_blocks;
  }
  if (blocks == 0) return;
  move_boxes_kernel<<<dim3(blocks < most_blocks ? blocks : most_blocks, unsigned(moves.count)), threads, 0,
                      static_cast<gpu_stream>(on.handle)>>>(moves);
}

}  // namespace imbrex::grid::detail
