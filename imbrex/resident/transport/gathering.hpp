// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Gives all GPUs a number, and has theirs, for the time that has this `number`, the next one of the last:
/// `use(g, bits)` for each, in their order. `waits()` between looks; if it is false, so is this. What a GPU
/// did before comes before what is done after it, on all.
///
/// Each has a slot at each in two turns, `slot_of(g, n)` for the n-th at GPU g: first all of one turn, then
/// all of the other. Who begins the next time but one, and so writes a slot again, has all of the next, which
/// nobody gives before he has seen all of this. `wrote(g, slot)` and `saw(g, slot)` are told of each.
template <class Link, class SlotOf, class Wrote, class Saw, class Waits, class Use>
IMBREX_DEVICE bool gather(std::uint32_t number, std::uint32_t mine, std::uint32_t gpus, std::uint64_t bits,
                          SlotOf&& slot_of, Wrote&& wrote, Saw&& saw, Waits&& waits, Use&& use) {
  const std::uint64_t turn = std::uint64_t{number % 2} * gpus;
  for (std::uint32_t g = 0; g < gpus; ++g) {
    typename Link::wide& slot = slot_of(g, turn + mine);
    Link::store_release(slot, {bits, number});
    wrote(g, slot);
  }
  for (std::uint32_t g = 0; g < gpus; ++g) {
    typename Link::wide& slot = slot_of(mine, turn + g);
    wide_word seen = Link::poll(slot);
    for (; seen.stamp != number; seen = Link::poll(slot))
      if (!waits()) return false;
    Link::acquired(slot);
    saw(g, slot);
    use(g, seen.body);
  }
  return true;
}

}  // namespace imbrex::resident
