// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/chare.hpp>

#include "rows.hpp"

namespace jacobi2d {

/// Rows of the grid that belong to one chare, between a row of each neighbour. All cells of its outer rows
/// are also written into the neighbours' memory, on any GPU.
///
/// One pair of buffers is enough. In each sweep, a share reads a neighbour's row before it signals its own
/// row to that neighbour. The neighbour writes its next row into the same buffer only after the signal.
///
/// In simulated time the share reports its accesses to memory, and it may have no cells at all.
struct share {
  imbrex::resident::symmetric<float> buffers[2];          ///< rows + 2 rows each
  imbrex::resident::symmetric<float> above[2], below[2];  ///< the share's outer rows in the memory of its
                                                          ///< neighbours
  int rows = 0, width = 0, sweeps = 0;

  /// Updates the outer rows, and puts them into the neighbours' memory.
  template <class Chare>
  IMBREX_DEVICE void update_outer(imbrex::resident::context<Chare>& here, std::uint32_t n) const {
    const int me = here.where()[0], last = here.shape()[0] - 1;
    if (buffers[0].size != 0) {
      const std::uint32_t next = (n + 1) % 2;
      float* const from = here.local(buffers[n % 2]);
      float* const to = here.local(buffers[next]);
      float* const to_above =
          me == 0 ? nullptr : here.remote(above[next], here.template gpu_of<Chare>(me - 1));
      float* const to_below =
          me == last ? nullptr : here.remote(below[next], here.template gpu_of<Chare>(me + 1));
      if (rows == 1) {
        update(from, to, 1, 1, width, to_above, to_below, here.thread(), here.threads());
      } else {  // both rows at once, by half of the threads each
        const std::uint32_t half = (here.threads() + 1) / 2, rest = here.threads() - half;
        if (here.thread() < half) update(from, to, 1, 1, width, to_above, nullptr, here.thread(), half);
        if (here.thread() >= half)
          update(from, to, rows, 1, width, nullptr, to_below, here.thread() - half, rest);
        if (rest == 0) update(from, to, rows, 1, width, nullptr, to_below, 0, 1);
      }
    }
    here.spend_copy(bytes_of(outer()));
    if (me > 0) here.spend_put(here.template pe_of<Chare>(me - 1), bytes_of(1) / 2);
    if (me < last) here.spend_put(here.template pe_of<Chare>(me + 1), bytes_of(1) / 2);
  }
  /// Updates the inner rows.
  template <class Chare>
  IMBREX_DEVICE void update_inner(imbrex::resident::context<Chare>& here, std::uint32_t n) const {
    if (buffers[0].size != 0)
      update(here.local(buffers[n % 2]), here.local(buffers[(n + 1) % 2]), 2, rows - 2, width, nullptr,
             nullptr, here.thread(), here.threads());
    here.spend_copy(bytes_of(rows - outer()));
  }

 private:
  IMBREX_DEVICE int outer() const { return rows < 2 ? rows : 2; }
  /// Bytes read and written for `count` rows.
  IMBREX_DEVICE std::uint64_t bytes_of(int count) const {
    return 2 * sizeof(float) * static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(count);
  }
};

}  // namespace jacobi2d
