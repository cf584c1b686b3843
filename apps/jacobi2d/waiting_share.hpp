// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/chare.hpp>

#include "share.hpp"

namespace jacobi2d {

/// Solver for comparison: one share per GPU, in a loop that waits for its neighbours' rows by flags, as
/// programs of NVSHMEM do. The loop is one entry that stays. If each sweep shall be a kernel, the loop takes
/// the time of a kernel's start before each sweep.
struct waiting_share : imbrex::resident::chare<waiting_share>, share {
  using pe = imbrex::resident::whole_gpu;
  imbrex::resident::symmetric<std::uint32_t> flags;  ///< sweeps that the shares above and below have
                                                     ///< signalled
  std::uint64_t start_time = 0;                      ///< start of a kernel per sweep, in ns of simulated time

  IMBREX_DEVICE void sweep(imbrex::resident::context<waiting_share>& here, std::uint32_t first) {
    const int me = here.where()[0], last = here.shape()[0] - 1;
    const std::uint64_t from = me > 0 ? 0 : 1, to = me < last ? 2 : 1;
    for (std::uint32_t n = first; n < static_cast<std::uint32_t>(sweeps); ++n) {
      here.spend(start_time);
      update_outer(here, n);
      here.sync();
      if (me > 0) here.write(flags.part(1, 1), here.gpu_of<waiting_share>(me - 1), n + 1);
      if (me < last) here.write(flags.part(0, 1), here.gpu_of<waiting_share>(me + 1), n + 1);
      update_inner(here, n);
      if (!here.wait(flags.part(from, from < to ? to - from : 0), n + 1)) return;
    }
    here.contribute<&waiting_share::done>(std::uint32_t{1});
  }
  IMBREX_DEVICE void done(imbrex::resident::context<waiting_share>& here, std::uint32_t shares) {
    here.exit(shares);
  }
  using entries = imbrex::resident::entries<&waiting_share::sweep, &waiting_share::done>;
  using reductions = imbrex::resident::reductions<
      imbrex::resident::reduction<&waiting_share::done, imbrex::resident::sum_operation>>;
};

}  // namespace jacobi2d
