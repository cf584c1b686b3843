// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// What the leader of a GPU answers the wave of that number, while nothing runs or waits within its GPU: how
/// many items its PEs have sent to other GPUs, and how many from there they have run to their end, modulo
/// 2^32. It lies in the memory of GPU 0.
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

/// Waves, of the leader of GPU 0: it asks all GPUs again and again, the next time when all have answered. All
/// is over if in one wave they have run what in the next they have sent, as by Mattern's four counters.
///
/// Why that is right: take all items between GPUs that are sent before the second wave's counts. Each GPU's
/// count of the second wave has seen what any had done when it answered the first, so those that had run an
/// item by then are fewer than those that are sent, unless all have. But then no GPU had work left when it
/// answered the first wave, nor could it get any: the first item that it got after its answer was sent after
/// another's answer, for which there is an item before.
///
/// It takes for granted that who runs an item comes after the draw of its ticket, so that the second count
/// of the sender's GPU has each item that was run before the first wave was answered. For ordered items the
/// model of memory says so. The draw of others is relaxed, and so is the store of the item; but that needs
/// the ticket for its place and its value, so no processor does it before.
struct waves {
  std::uint32_t number = 1;    ///< that is asked: before the run all are asked the first
  std::uint32_t run_then = 0;  ///< in the wave before

  /// True if all is over. `answer_of(gpu)` is that GPU's answer; `ask(gpu, number)` asks it the next wave.
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
