// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace queens {

/// The queens in the first rows of a board: the columns that they occupy, and the columns that their two
/// diagonals occupy in the next row. At most 16 columns, so that a board is a message of 8 bytes.
struct board {
  std::uint16_t columns = 0, left = 0, right = 0;
  std::uint16_t row = 0;

  /// The free columns of the next row, as bits, on a board of `size` columns.
  IMBREX_DEVICE std::uint32_t free(std::uint32_t size) const {
    return ~(std::uint32_t{columns} | left | right) & ((std::uint32_t{1} << size) - 1);
  }
  /// The board with one more queen, in a column given as a bit.
  IMBREX_DEVICE board with(std::uint32_t column) const {
    return {static_cast<std::uint16_t>(columns | column), static_cast<std::uint16_t>((left | column) << 1U),
            static_cast<std::uint16_t>((right | column) >> 1U), static_cast<std::uint16_t>(row + 1)};
  }
};
static_assert(sizeof(board) == 8);

/// The number of ways to fill the other rows: by a depth-first search whose stack holds the rows' free
/// columns.
inline IMBREX_DEVICE std::uint64_t solutions(const board& from, std::uint32_t size) {
  board at[17];
  std::uint32_t left[17];
  std::uint32_t depth = from.row;
  std::uint64_t found = 0;
  at[depth] = from;
  left[depth] = from.free(size);
  if (depth == size) return 1;
  for (;;) {
    if (left[depth] == 0) {
      if (depth == from.row) return found;
      --depth;
      continue;
    }
    const std::uint32_t column = left[depth] & (~left[depth] + 1);
    left[depth] ^= column;
    if (depth + 1 == size) {
      ++found;
      continue;
    }
    at[depth + 1] = at[depth].with(column);
    ++depth;
    left[depth] = at[depth].free(size);
  }
}

}  // namespace queens
