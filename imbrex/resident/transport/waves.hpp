// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Reply of a GPU's leader to wave number `wave`, sent while nothing runs or waits within its GPU. `sent` is
/// the number of items that its PEs have sent to other GPUs. `run` is the number of items from other GPUs
/// that they have run to their end. Both are modulo 2^32. The reply lies in the memory of GPU 0.
template <class Link>
struct wave_answer {
  typename Link::word wave{};
  typename Link::plain sent{};
  typename Link::plain run{};

  IMBREX_DEVICE void give(std::uint32_t number, std::uint32_t has_sent, std::uint32_t has_run) {
    sent = has_sent;
    run = has_run;
    Link::store_release(wave, number);
  }
};

/// Waves of requests from GPU 0's leader to all GPUs. The next wave begins when all GPUs have replied. The
/// run is over if the items run by one wave equal the items sent by the next (Mattern's four counters).
///
/// Why this is correct: take all items between GPUs that are sent before the second wave's counts. Each GPU's
/// count for the second wave includes everything that any GPU had done when it replied to the first. So the
/// items run by then are fewer than the items sent, unless all were run. In the latter case no GPU had work
/// left when it replied to the first wave. Nor could it get any: the first item that it received after its
/// reply was sent after another GPU's reply, for which there is an earlier item.
///
/// Assumption: an item is run after its ticket is drawn. Then the second count of the sender's GPU includes
/// each item that was run before the reply to the first wave. For ordered items the memory model guarantees
/// this. For others the draw and the store of the item are relaxed. But the store needs the ticket for its
/// address and its value, so no processor does it earlier.
struct waves {
  std::uint32_t number = 1;    ///< wave that is requested; wave 1 is requested before the run
  std::uint32_t run_then = 0;  ///< items run, by the replies of the wave before

  /// True if the run is over. `answer_of(gpu)` is the GPU's reply; `ask(gpu, number)` requests the next wave.
  template <class Link, class AnswerOf, class Ask>
  IMBREX_DEVICE bool look(std::uint32_t gpus, AnswerOf&& answer_of, Ask&& ask) {
    std::uint32_t sent = 0, run = 0;
    for (std::uint32_t g = 0; g < gpus; ++g) {
      wave_answer<Link>& one = answer_of(g);
      if (Link::load_acquire(one.wave) != number) return false;
      sent += one.sent;
      run += one.run;
    }
    if (number != 1 && sent == run_then) return true;
    run_then = run;
    ++number;
    for (std::uint32_t g = 0; g < gpus; ++g) ask(g, number);
    return false;
  }
};

}  // namespace imbrex::resident
