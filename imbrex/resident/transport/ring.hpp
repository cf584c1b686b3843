// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Bounded ring with one writer and one reader, as in Lamport's queue. No operation waits. A view of two
/// words that count, modulo 2^32, the slots that were ever filled and ever emptied. Another object owns the
/// slots. Each side keeps its own count and passes it in.
///
///     filled    stored by the writer with release, after it has written the slot; a reader that acquires the
///               count may read the slot
///     emptied   stored by the reader with release, after it has read the slot; a writer that acquires the
///               count may write the slot again
///
/// The writer loads `emptied` only when the ring is full by its cached count: a load over a bus is slow.
template <class Memory>
struct ring {
  typename Memory::word* filled = nullptr;
  typename Memory::word* emptied = nullptr;
  std::uint32_t size = 0;  ///< a power of two

  /// Writer only; it has filled `count` slots. True if there is a free slot. `known` is its cached number of
  /// emptied slots.
  IMBREX_DEVICE bool has_room(std::uint32_t count, std::uint32_t& known) const {
    if (count - known < size) return true;
    known = Memory::load_acquire(*emptied);
    return count - known < size;
  }
  /// Writer only. Publishes the slot `place(count)` and advances `count`.
  IMBREX_DEVICE void fill(std::uint32_t& count) const { show(++count); }
  /// Writer only. Publishes several slots at once; `count` is the number of slots filled in all.
  IMBREX_DEVICE void show(std::uint32_t count) const { Memory::store_release(*filled, count); }
  /// Reader only; it has emptied `count` slots. True if the slot `place(count)` is filled.
  IMBREX_DEVICE bool has_some(std::uint32_t count) const { return Memory::load_acquire(*filled) != count; }
  /// Reader only. Frees the slot `place(count)` and advances `count`.
  IMBREX_DEVICE void empty(std::uint32_t& count) const { Memory::store_release(*emptied, ++count); }
  IMBREX_DEVICE std::uint32_t place(std::uint32_t count) const { return count & (size - 1); }
};

}  // namespace imbrex::resident
