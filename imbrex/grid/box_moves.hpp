// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// This header is C++17, for the device's compilers.

namespace imbrex::grid::detail {

/// A box of cells that is copied within a device's memory, in up to three dimensions. Distances are in bytes.
/// A cell is some words of 1, 2, 4, 8 or 16 bytes, to which both sides are aligned. The sides do not overlap.
struct box_move {
  const char* from;
  char* to;
  std::int64_t from_strides[3], to_strides[3];
  std::int32_t extents[3];
  std::int16_t words_of_cell, bytes_of_word;
};

/// Copies of one kernel. A kernel's arguments must fit into 4 KiB, the least that GPUs accept.
struct box_moves {
  static constexpr int most = 45;
  int count = 0;
  box_move of[most];
};
static_assert(sizeof(box_moves) <= 4096);

}  // namespace imbrex::grid::detail
