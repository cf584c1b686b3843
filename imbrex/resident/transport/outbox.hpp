// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/mailbox.hpp>

namespace imbrex::resident {

/// An item that found its mailbox full, and the ticket that it has there.
template <class Ticket = std::uint32_t>
struct kept_item {
  item what;
  std::uint32_t to = 0;
  Ticket ticket = 0;
};

/// What one PE keeps for full mailboxes. It alone uses it. A view: the memory is another's.
///
/// The items are tried in rotation, some at a time: if always the same were tried, all of them might wait for
/// PEs that wait for one that is never tried. The lowest ticket of a mailbox that has no item yet finds its
/// slot free, and its owner tries it between entries; so all items arrive if all entries end.
template <class Memory, class Ticket = std::uint32_t>
struct outbox {
  kept_item<Ticket>* items = nullptr;
  std::uint32_t capacity = 0;
  std::uint32_t count = 0;
  std::uint32_t cursor = 0;

  IMBREX_DEVICE bool full() const { return count == capacity; }
  IMBREX_DEVICE bool empty() const { return count == 0; }
  /// Must not be full.
  IMBREX_DEVICE void keep(const kept_item<Ticket>& one) { items[count++] = one; }

  /// Tries the next few of them, each at most once. `try_fill(item)` sends a kept item, and is false if there
  /// is no room yet.
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
