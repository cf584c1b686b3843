// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/chare.hpp>

#include "share.hpp"

namespace jacobi2d {

/// A share of the grid that never waits: its neighbours' rows arrive while it updates its own rows, or while
/// others on its PE do. Sweep n + 1 begins when both neighbours have signalled and this share is done.
struct block : imbrex::resident::chare<block>, share {
  imbrex::resident::trigger ready[2];  ///< for even and odd sweeps

  IMBREX_DEVICE void sweep(imbrex::resident::context<block>& here, std::uint32_t n) {
    const int me = here.where()[0], last = here.shape()[0] - 1;
    if (n == static_cast<std::uint32_t>(sweeps)) return here.contribute<&block::done>(std::uint32_t{1});
    update_outer(here, n);
    here.sync();
    if (me > 0) signal(here, me - 1, n + 1);
    if (me < last) signal(here, me + 1, n + 1);
    update_inner(here, n);
    signal(here, me, n + 1);
  }
  IMBREX_DEVICE void done(imbrex::resident::context<block>& here, std::uint32_t blocks) { here.exit(blocks); }

  IMBREX_DEVICE void signal(imbrex::resident::context<block>& here, int to, std::uint32_t n) {
    const int last = here.shape()[0] - 1;
    const std::uint32_t all = 1U + (to > 0 ? 1U : 0U) + (to < last ? 1U : 0U);
    here.signal_also<&block::sweep>(to, here.of<block>(to).ready[n % 2], all, n);
  }
  using entries = imbrex::resident::entries<&block::sweep, &block::done>;
  using reductions = imbrex::resident::reductions<
      imbrex::resident::reduction<&block::done, imbrex::resident::sum_operation>>;
};

}  // namespace jacobi2d
