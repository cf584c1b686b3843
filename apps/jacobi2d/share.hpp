// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/chare.hpp>

#include "rows.hpp"

namespace jacobi2d {

/// Some rows of the grid, a chare's, between two rows that are the neighbours'. The outer rows are written
/// into the neighbours' memory too, all their cells, on whatever GPU that is.
///
/// One pair of buffers is enough: a share reads a neighbour's row before it tells of its own in a sweep, and
/// the neighbour writes that buffer's next only after it has been told.
///
/// In simulated time it says what it does to memory, and it may have no cells at all.
struct share {
  imbrex::resident::symmetric<float> buffers[2];          ///< rows + 2 rows each
  imbrex::resident::symmetric<float> above[2], below[2];  ///< the rows of the neighbours' that are its own
  int rows = 0, width = 0, sweeps = 0;

  /// Updates the outer rows, and puts them.
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
      } else {  // both at once, by half of the threads each
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
  /// Updates the others.
  template <class Chare>
  IMBREX_DEVICE void update_inner(imbrex::resident::context<Chare>& here, std::uint32_t n) const {
    if (buffers[0].size != 0)
      update(here.local(buffers[n % 2]), here.local(buffers[(n + 1) % 2]), 2, rows - 2, width, nullptr,
             nullptr, here.thread(), here.threads());
    here.spend_copy(bytes_of(rows - outer()));
  }

 private:
  IMBREX_DEVICE int outer() const { return rows < 2 ? rows : 2; }
  /// That rows are read and written.
  IMBREX_DEVICE std::uint64_t bytes_of(int count) const {
    return 2 * sizeof(float) * static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(count);
  }
};

}  // namespace jacobi2d
