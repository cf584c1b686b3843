// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/mailbox.hpp>
#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Bounded ring of items from the PEs of one GPU to one PE of another. No operation waits. A view: another
/// object owns the memory.
///
/// Senders draw tickets from `tail` in their own GPU, so no atomic operation crosses a link. One store of 128
/// bits writes the item of ticket t into slot t mod size, in the receiver's GPU. The item has arrived when
/// the slot's ticket is t + 1. The receiver takes items in the order of tickets. After each quarter of the
/// ring it stores the number of taken items into `taken`, in the senders' GPU. Ticket t may be filled when t
/// - taken < size. So only stores cross a link.
///
/// Coherence of each of these words orders both sides. A sender that refills a slot has read a count that the
/// receiver stored after it had read the slot. The receiver of an ordered item sees everything that the
/// sender wrote before, in any memory. A sender that finds the ring full keeps the item with its ticket, as
/// for a mailbox (outbox.hpp). The lowest unfilled ticket finds room as soon as all items before it are
/// taken: the items taken but not reported yet are less than the ring.
///
/// `Memory` is for memory of one GPU's PEs, `Link` for memory of several GPUs.
template <class Memory, class Link, class Ticket = std::uint32_t>
struct crossing {
  typename Memory::word* tail = nullptr;  ///< in the senders' GPU; also counts the sent items
  typename Link::word* taken = nullptr;   ///< in the senders' GPU
  typename Link::wide* slots = nullptr;   ///< in the receiver's GPU
  std::uint32_t size = 0;                 ///< a power of two, at least 2

  using words = item_word<Ticket>;

  /// Initialises the slots, in the receiver's GPU; to be called before any other use.
  IMBREX_DEVICE void prepare_slots(Ticket first) {
    for (std::uint32_t n = 0; n < size; ++n) {
      const auto t = static_cast<Ticket>(first + n);
      Link::store(slot(t), words::of(0, t, 0));
    }
  }
  /// Initialises the counts, in the senders' GPU; to be called before any other use.
  IMBREX_DEVICE void prepare_counts(Ticket first) {
    Memory::store(*tail, first);
    Link::store(*taken, first);
  }

  /// Draws tickets for consecutive items and returns the first. The sender must then fill all their slots.
  IMBREX_DEVICE Ticket draw(std::uint32_t items) { return static_cast<Ticket>(Memory::add(*tail, items)); }
  /// Stores the item of ticket `t` in its slot. False if the slot is not free yet.
  IMBREX_DEVICE bool try_fill(Ticket t, const item& i) {
    if (static_cast<Ticket>(t - static_cast<Ticket>(Link::load(*taken))) >= size) return false;
    const wide_word full = words::of(i.body, static_cast<Ticket>(t + 1), i.meta);
    if ((i.meta & is_ordered) != 0)
      Link::store_release(slot(t), full);
    else
      Link::store(slot(t), full);
    return true;
  }

  /// Receiver only. Takes the item of ticket `head` and advances `head`. False if the item has not arrived.
  IMBREX_DEVICE bool try_take(Ticket& head, item& i) {
    const wide_word seen = Link::poll(slot(head));
    if (words::ticket_of(seen) != static_cast<Ticket>(head + 1)) return false;
    i = words::item_of(seen);
    if ((i.meta & is_ordered) != 0) Link::acquired(slot(head));
    ++head;
    if (head % (size < 4 ? 1 : size / 4) == 0) Link::store(*taken, head);
    return true;
  }

 private:
  IMBREX_DEVICE typename Link::wide& slot(Ticket t) { return slots[t & (size - 1)]; }
};

}  // namespace imbrex::resident
