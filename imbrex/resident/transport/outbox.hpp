// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/mailbox.hpp>

namespace imbrex::resident {

/// Item that found its mailbox full, with its ticket there.
template <class Ticket = std::uint32_t>
struct kept_item {
  item what;
  std::uint32_t to = 0;
  Ticket ticket = 0;
};

/// Items kept by a PE for full mailboxes. Only this PE uses them. A view: another object owns the
/// memory.
///
/// Items are retried in rotation, a few at a time. If the same ones were always retried, all of them might
/// wait for PEs that wait for an item never retried. The lowest unfilled ticket of a mailbox finds its slot
/// free, and its owner retries it between entries. So all items arrive if all entries end.
template <class Memory, class Ticket = std::uint32_t>
struct outbox {
  kept_item<Ticket>* items = nullptr;
  std::uint32_t capacity = 0;
  std::uint32_t count = 0;
  std::uint32_t cursor = 0;

  IMBREX_DEVICE bool full() const { return count == capacity; }
  IMBREX_DEVICE bool empty() const { return count == 0; }
  /// Precondition: not full.
  IMBREX_DEVICE void keep(const kept_item<Ticket>& one) { items[count++] = one; }

  /// Retries the next `most` items, each at most once. `try_fill(item)` sends a kept item; it returns false
  /// if there is no room yet.
  template <class TryFill>
  IMBREX_DEVICE void retry(TryFill&& try_fill, std::uint32_t most = 8) {
    for (std::uint32_t tries = count < most ? count : most; tries != 0; --tries) {
      if (cursor >= count) cursor = 0;
      const kept_item<Ticket> one = items[cursor];
      if (try_fill(one))
        items[cursor] = items[--count];
      else
        ++cursor;
    }
  }
};

}  // namespace imbrex::resident
