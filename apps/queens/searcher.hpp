// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/chare.hpp>

#include "board.hpp"

namespace queens {

/// Searches boards. A board with few queens becomes messages to others, a board for each place of the next
/// queen; of one with more, each thread searches every so many of the places of the next two. Nobody knows
/// before how much a message is, or how many there will be: the run ends when all is quiet.
struct searcher : imbrex::resident::chare<searcher> {
  std::uint32_t size = 0;   ///< of the board
  std::uint32_t split = 0;  ///< with fewer queens a board becomes messages
  std::uint32_t next = 0, boards = 0;
  std::uint64_t found[512] = {};  ///< by each thread

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
