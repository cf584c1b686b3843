// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/chare.hpp>

#include "rows.hpp"

namespace jacobi2d {

/// Some rows of the grid, between two rows that are the neighbours'. In sweep n it updates its outer rows
/// first, writes them into the neighbours' memory too, all their cells, on whatever GPU that is, and signals;
/// they arrive while it updates the others. Sweep n + 1 begins when both neighbours have signalled and this
/// one is done.
///
/// One pair of buffers is enough: a block reads a neighbour's row before it signals in a sweep, and the
/// neighbour writes that buffer's next only after it has got this signal.
///
/// In simulated time it says what it does to memory, and it may have no cells at all.
struct block : imbrex::resident::chare<block> {
  imbrex::resident::symmetric<float> buffers[2];          ///< rows + 2 rows each
  imbrex::resident::symmetric<float> above[2], below[2];  ///< the rows of the neighbours' that are its own
  int rows = 0, width = 0, sweeps = 0;
  imbrex::resident::trigger ready[2];  ///< for even and odd sweeps

  IMBREX_DEVICE void sweep(imbrex::resident::context<block>& here, std::uint32_t n) {
    const int me = here.where()[0], last = here.shape()[0] - 1;
    if (n == static_cast<std::uint32_t>(sweeps)) return here.contribute<&block::done>(std::uint32_t{1});
    const int outer = rows < 2 ? rows : 2;
    update_outer(here, n);
    here.spend_copy(bytes_of(outer));
    if (me > 0) here.spend_put(here.pe_of<block>(me - 1), bytes_of(1) / 2);
    if (me < last) here.spend_put(here.pe_of<block>(me + 1), bytes_of(1) / 2);
    if (me > 0) signal(here, me - 1, n + 1);
    if (me < last) signal(here, me + 1, n + 1);
    if (buffers[0].size != 0)
      update(here.local(buffers[n % 2]), here.local(buffers[(n + 1) % 2]), 2, rows - 2, width, nullptr,
             nullptr, here.thread(), here.threads());
    here.spend_copy(bytes_of(rows - outer));
    signal(here, me, n + 1);
  }
  /// That rows are read and written.
  IMBREX_DEVICE std::uint64_t bytes_of(int count) const {
    return 2 * sizeof(float) * static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(count);
  }
  IMBREX_DEVICE void update_outer(imbrex::resident::context<block>& here, std::uint32_t n) {
    if (buffers[0].size == 0) return;
    const int me = here.where()[0], last = here.shape()[0] - 1;
    const std::uint32_t next = (n + 1) % 2;
    float* const from = here.local(buffers[n % 2]);
    float* const to = here.local(buffers[next]);
    float* const to_above = me == 0 ? nullptr : here.remote(above[next], here.gpu_of<block>(me - 1));
    float* const to_below = me == last ? nullptr : here.remote(below[next], here.gpu_of<block>(me + 1));
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
  IMBREX_DEVICE void done(imbrex::resident::context<block>& here, std::uint32_t blocks) { here.exit(blocks); }

  IMBREX_DEVICE void signal(imbrex::resident::context<block>& here, int to, std::uint32_t n) {
    const int last = here.shape()[0] - 1;
    const std::uint32_t all = 1U + (to > 0 ? 1U : 0U) + (to < last ? 1U : 0U);
    here.signal<&block::sweep>(to, here.of<block>(to).ready[n % 2], all, n);
  }
  using entries = imbrex::resident::entries<&block::sweep, &block::done>;
  using reductions = imbrex::resident::reductions<
      imbrex::resident::reduction<&block::done, imbrex::resident::sum_operation>>;
};

}  // namespace jacobi2d
