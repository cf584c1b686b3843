// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Parcels of one PE, numbered from 1 on: memory for messages of more than 8 bytes. The PE alone takes them.
/// Who has read one gives it back, by a compare-and-swap onto a stack that the owner empties by one exchange;
/// so no parcel can leave the stack and return to it while another looks (no ABA), as in Treiber's stack with
/// one consumer that takes all. A view: the memory is another's.
template <class Memory>
struct parcel_pool {
  typename Memory::word* returned = nullptr;  ///< the first that was given back; 0: none
  typename Memory::plain* next = nullptr;     ///< of parcel n, at n - 1: the one given back before it
  std::uint32_t count = 0;

  /// What the owner knows of its pool.
  struct owned {
    std::uint32_t free = 0;   ///< the first of those that it has taken back
    std::uint32_t fresh = 0;  ///< so many were ever taken
  };

  /// The owner's: the number of a parcel; 0: none is left.
  IMBREX_DEVICE std::uint32_t take(owned& mine) {
    if (mine.free == 0) {
      if (mine.fresh < count) return ++mine.fresh;  // so that many are taken back at once
      if (Memory::load(*returned) == 0) return 0;
      mine.free = Memory::exchange_acquire(*returned, 0);
    }
    const std::uint32_t one = mine.free;
    mine.free = next[one - 1];
    return one;
  }
  /// The owner's: true if `take` would find one.
  IMBREX_DEVICE bool any_left(const owned& mine) {
    return mine.free != 0 || mine.fresh < count || Memory::load(*returned) != 0;
  }
  /// Any PE's, of a parcel that it has got and read.
  IMBREX_DEVICE void give_back(std::uint32_t one) {
    std::uint32_t first = Memory::load(*returned);
    do {
      next[one - 1] = first;
    } while (!Memory::compare_exchange_release(*returned, first, one));
  }
};

}  // namespace imbrex::resident
