// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/chare.hpp>

#include "board.hpp"

namespace queens {

/// Searches boards. A board with few queens becomes messages to other chares: a board for each free column of
/// the next queen. For a board with more queens the threads divide the placements of the next two queens
/// among themselves. The work of a message and the number of messages are unknown in advance: the run ends at
/// quiescence.
struct searcher : imbrex::resident::chare<searcher> {
  std::uint32_t size = 0;   ///< size of the board
  std::uint32_t split = 0;  ///< boards with fewer queens become messages
  std::uint32_t next = 0, boards = 0;
  std::uint64_t found[512] = {};  ///< by thread

  IMBREX_DEVICE void search(imbrex::resident::context<searcher>& here, board b) {
    if (here.leads()) ++boards;
    if (b.row < split) {
      if (!here.leads()) return;
      const auto all = static_cast<std::uint32_t>(here.shape()[0]);
      for (std::uint32_t free = b.free(size); free != 0; free &= free - 1) {
        const std::uint32_t column = free & (~free + 1);
        next = next * 1'664'525U + 1'013'904'223U + here.number();
        here.send<&searcher::search>(static_cast<int>((std::uint64_t{next} * all) >> 32U), b.with(column));
      }
      return;
    }
    std::uint32_t n = 0;
    for (std::uint32_t free = b.free(size); free != 0; free &= free - 1) {
      const board one = b.with(free & (~free + 1));
      if (one.row == size) {
        if (n++ % here.threads() == here.thread()) ++found[here.thread()];
        continue;
      }
      for (std::uint32_t second = one.free(size); second != 0; second &= second - 1)
        if (n++ % here.threads() == here.thread())
          found[here.thread()] += solutions(one.with(second & (~second + 1)), size);
    }
  }
  using entries = imbrex::resident::entries<&searcher::search>;
};

}  // namespace queens
