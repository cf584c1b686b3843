// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Sends `bits` to all GPUs, receives theirs, and calls `use(g, bits)` for each GPU, in their order. `number`
/// is the number of this gather, one more than the last one's. `waits()` is called between polls; if it
/// returns false, so does the gather. Everything that a GPU did before a gather happens before everything
/// that any GPU does after it.
///
/// Each GPU has two slots at each GPU, used alternately. `slot_of(g, n)` is slot n at GPU g: first the slots
/// of even gathers, then those of odd ones. A slot is overwritten two gathers later. Its writer has by then
/// received all values of the gather in between. No GPU sends those before it has received all values of this
/// one. `wrote(g, slot)` and `saw(g, slot)` are called after each store and each receipt.
template <class Link, class SlotOf, class Wrote, class Saw, class Waits, class Use>
IMBREX_DEVICE bool gather(std::uint32_t number, std::uint32_t own_gpu, std::uint32_t gpus, std::uint64_t bits,
                          SlotOf&& slot_of, Wrote&& wrote, Saw&& saw, Waits&& waits, Use&& use) {
  const std::uint64_t turn = std::uint64_t{number % 2} * gpus;
  for (std::uint32_t g = 0; g < gpus; ++g) {
    typename Link::wide& slot = slot_of(g, turn + own_gpu);
    Link::store_release(slot, {bits, number});
    wrote(g, slot);
  }
  for (std::uint32_t g = 0; g < gpus; ++g) {
    typename Link::wide& slot = slot_of(own_gpu, turn + g);
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
