// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/mailbox.hpp>
#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// The way of items from the PEs of one GPU to one PE of another; bounded, nobody waits. A view: the memory
/// is another's.
///
/// Senders draw tickets from `tail` in their own GPU, so no atomic operation crosses a link. The item of
/// ticket t goes by one store of 128 bits into slot t mod size, in the receiver's GPU, where it is there when
/// the slot says ticket t + 1. The receiver takes items in the order of tickets and puts back how many it has
/// taken, every quarter of the ring, into `taken` in the senders' GPU: ticket t may be filled when
/// t - taken < size. So all that crosses a link are stores.
///
/// Coherence of each of these words orders both sides: who fills a slot again has read the count that the
/// receiver stored after it had read the slot. What an ordered item's sender wrote before, wherever, is seen
/// by who takes it. Who finds the ring full keeps the item with its ticket, as for a mailbox (outbox.hpp);
/// the lowest unfilled ticket finds room as soon as what is before it has been taken, since a quarter that is
/// not put back yet is less than the ring.
///
/// `Memory` is that of one GPU's PEs, `Link` that of several GPUs'.
template <class Memory, class Link, class Ticket = std::uint32_t>
struct crossing {
  typename Memory::word* tail = nullptr;  ///< of the senders, for whom it also counts what was sent
  typename Link::word* taken = nullptr;   ///< of the senders' GPU
  typename Link::wide* slots = nullptr;   ///< of the receiver's
  std::uint32_t size = 0;                 ///< a power of two, at least 2

  using words = item_word<Ticket>;

  /// Before anybody uses it: the slots, at home with the receiver.
  IMBREX_DEVICE void prepare_slots(Ticket first) {
    for (std::uint32_t n = 0; n < size; ++n) {
      const auto t = static_cast<Ticket>(first + n);
      Link::store(slot(t), words::of(0, t, 0));
    }
  }
  /// And the counts, at home with the senders.
  IMBREX_DEVICE void prepare_counts(Ticket first) {
    Memory::store(*tail, first);
    Link::store(*taken, first);
  }

  /// Tickets for so many items in a row, which must come: the first.
  IMBREX_DEVICE Ticket draw(std::uint32_t items) { return static_cast<Ticket>(Memory::add(*tail, items)); }
  /// Puts the item that has ticket `t` into its slot; false if that is not free yet.
  IMBREX_DEVICE bool try_fill(Ticket t, const item& i) {
    if (static_cast<Ticket>(t - static_cast<Ticket>(Link::load(*taken))) >= size) return false;
    const wide_word full = words::of(i.body, static_cast<Ticket>(t + 1), i.meta);
    if ((i.meta & is_ordered) != 0)
      Link::store_release(slot(t), full);
    else
      Link::store(slot(t), full);
    return true;
  }

  /// The receiver's: takes the item whose ticket is `head` and counts on; false if it has not come.
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
