// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// One writer, one reader, bounded; nobody waits. A view of two words that count, modulo 2^32, the slots that
/// were ever filled and ever emptied; the slots are another's. Each side keeps its own count and is given it.
///
///     filled    the writer's: stored with release when the slot holds what it shall, so that whoever
///               acquires the count may read the slot
///     emptied   the reader's: stored with release when the slot was read, so that whoever acquires the count
///               may write there again
///
/// As in Lamport's queue. The writer looks at `emptied` only when, as far as it knows, the ring is full: over
/// a bus a look is dear.
template <class Memory>
struct ring {
  typename Memory::word* filled = nullptr;
  typename Memory::word* emptied = nullptr;
  std::uint32_t size = 0;  ///< a power of two

  /// The writer's, who has filled `mine` slots: true if there is a free one. `known`: how many are emptied,
  /// as far as it knows.
  IMBREX_DEVICE bool has_room(std::uint32_t mine, std::uint32_t& known) const {
    if (mine - known < size) return true;
    known = Memory::load_acquire(*emptied);
    return mine - known < size;
  }
  /// The writer's: the slot `place(mine)` holds something.
  IMBREX_DEVICE void fill(std::uint32_t& mine) const { show(++mine); }
  /// The writer's, who fills several before the reader shall see them: so many were filled in all.
  IMBREX_DEVICE void show(std::uint32_t mine) const { Memory::store_release(*filled, mine); }
  /// The reader's, who has emptied `mine` slots: true if the slot `place(mine)` holds something.
  IMBREX_DEVICE bool has_some(std::uint32_t mine) const { return Memory::load_acquire(*filled) != mine; }
  /// The reader's: it has read that slot.
  IMBREX_DEVICE void empty(std::uint32_t& mine) const { Memory::store_release(*emptied, ++mine); }
  IMBREX_DEVICE std::uint32_t place(std::uint32_t mine) const { return mine & (size - 1); }
};

}  // namespace imbrex::resident
