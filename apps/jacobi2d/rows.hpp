// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/chare.hpp>

namespace jacobi2d {

/// Four neighbouring cells of a row, loaded and stored as one.
struct alignas(16) four {
  float at[4];
};

/// Layout of a grid: `width` columns, a multiple of 4, with a column of zeros on each side. Rows are
/// `pitch_of(width)` apart.
inline constexpr int margin = 4;
IMBREX_DEVICE constexpr std::int64_t pitch_of(int width) { return width + 2 * margin; }
inline IMBREX_DEVICE float* row_of(float* grid, int row, int width) {
  return grid + row * pitch_of(width) + margin;
}

inline IMBREX_DEVICE float mean(float up, float left, float right, float down) {
  return 0.25F * ((up + down) + (left + right));
}

/// Updates `count` rows from `first` on, of `from` into `to`. The first and the last of them are also written
/// to `copy_first` and `copy_last`, unless null. Each thread has every `threads`-th group of four columns and
/// goes down it, so each value is loaded from memory once.
inline IMBREX_DEVICE void update(const float* __restrict__ from, float* __restrict__ to, int first, int count,
                                 int width, float* __restrict__ copy_first, float* __restrict__ copy_last,
                                 std::uint32_t thread, std::uint32_t threads) {
  if (count <= 0) return;
  const std::int64_t pitch = pitch_of(width);
  for (int column = static_cast<int>(thread) * 4; column < width; column += static_cast<int>(threads) * 4) {
    const float* at = from + first * pitch + margin + column;
    float* into = to + first * pitch + margin + column;
    four up = *reinterpret_cast<const four*>(at - pitch);
    four here = *reinterpret_cast<const four*>(at);
#if defined(__CUDA_ARCH__)
#pragma unroll 8
#endif
    for (int r = 0; r < count; ++r) {
      const four down = *reinterpret_cast<const four*>(at + pitch);
      four next;
      next.at[0] = mean(up.at[0], at[-1], here.at[1], down.at[0]);
      next.at[1] = mean(up.at[1], here.at[0], here.at[2], down.at[1]);
      next.at[2] = mean(up.at[2], here.at[1], here.at[3], down.at[2]);
      next.at[3] = mean(up.at[3], here.at[2], at[4], down.at[3]);
      *reinterpret_cast<four*>(into) = next;
      if (copy_first != nullptr && r == 0) *reinterpret_cast<four*>(copy_first + column) = next;
      if (copy_last != nullptr && r == count - 1) *reinterpret_cast<four*>(copy_last + column) = next;
      up = here;
      here = down;
      at += pitch;
      into += pitch;
    }
  }
}

}  // namespace jacobi2d
