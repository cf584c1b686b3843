// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Parcels of one PE, numbered from 1 on: memory for messages of more than 8 bytes. Only this PE takes
/// parcels. The reader of a parcel returns it by a compare-and-swap onto a stack. The owner empties that
/// stack by one exchange. So no parcel can leave the stack and return to it during another PE's
/// compare-and-swap (no ABA). This is Treiber's stack with one consumer that takes everything. A view:
/// another object owns the memory.
template <class Memory>
struct parcel_pool {
  typename Memory::word* returned = nullptr;  ///< top of the stack of returned parcels; 0: none
  typename Memory::plain* next = nullptr;     ///< next[n - 1]: the parcel returned before parcel n
  std::uint32_t count = 0;

  /// State that only the owner touches.
  struct owned {
    std::uint32_t free = 0;   ///< first of the parcels that the owner has taken back; 0: none
    std::uint32_t fresh = 0;  ///< number of parcels that were ever taken
  };

  /// Owner only. Takes a parcel and returns its number; 0 if none is left.
  IMBREX_DEVICE std::uint32_t take(owned& state) {
    if (state.free == 0) {
      if (state.fresh < count)
        return ++state.fresh;  // fresh parcels first, so that many are taken back at
                               // once
      if (Memory::load(*returned) == 0) return 0;
      state.free = Memory::exchange_acquire(*returned, 0);
    }
    const std::uint32_t one = state.free;
    state.free = next[one - 1];
    return one;
  }
  /// Owner only. True if `take` would find a parcel.
  IMBREX_DEVICE bool any_left(const owned& state) {
    return state.free != 0 || state.fresh < count || Memory::load(*returned) != 0;
  }
  /// Returns a parcel. Any PE that has received and read it may call this.
  IMBREX_DEVICE void give_back(std::uint32_t one) {
    std::uint32_t first = Memory::load(*returned);
    do {
      next[one - 1] = first;
    } while (!Memory::compare_exchange_release(*returned, first, one));
  }
};

}  // namespace imbrex::resident
