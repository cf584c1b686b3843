// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// What a mailbox holds: 8 bytes of a message, and what they are.
struct item {
  std::uint64_t body = 0;
  std::uint32_t meta = 0;
};

/// In an item's meta: what its sender wrote before is read by who takes it, so both pay for that order.
inline constexpr std::uint32_t is_ordered = std::uint32_t{1} << 31U;

/// The words of a slot: a body, a ticket, and the item's meta.
template <class Ticket>
struct item_word {
  static IMBREX_DEVICE Ticket ticket_of(const wide_word& w) { return static_cast<Ticket>(w.stamp >> 32U); }
  static IMBREX_DEVICE item item_of(const wide_word& w) {
    return {w.body, static_cast<std::uint32_t>(w.stamp)};
  }
  static IMBREX_DEVICE wide_word of(std::uint64_t body, Ticket t, std::uint32_t meta) {
    return {body, static_cast<std::uint64_t>(t) << 32U | meta};
  }
};

/// Many senders, one receiver, bounded; nobody waits. A view: the memory is another's.
///
/// A slot is one word of 128 bits: a body, a ticket, and the item's meta. For ticket t, of slot t mod size,
/// its ticket is
///
///     t       free, for the sender that has drawn t from `tail`
///     t + 1   holds an item: the receiver's, who reads it and frees the slot, for ticket t + size
///
/// and these two take turns, so coherence of that one word orders sender and receiver: an item that names no
/// memory needs no fence. Who finds the slot of its ticket taken keeps the item with the ticket (outbox.hpp)
/// and tries again later. The receiver takes items in the order of tickets: no sender can starve another, and
/// what one sends stays in order.
///
/// `tail` also counts what was ever sent here (quiescence.hpp). Tickets wrap: those that are drawn and not
/// taken must be fewer than half of what a Ticket holds.
template <class Memory, class Ticket = std::uint32_t>
struct mailbox {
  typename Memory::word* tail = nullptr;
  typename Memory::wide* slots = nullptr;
  std::uint32_t size = 0;  ///< a power of two, at least 2

  using words = item_word<Ticket>;

  /// Before anybody uses it.
  IMBREX_DEVICE void prepare(Ticket first) {
    for (std::uint32_t i = 0; i < size; ++i) {
      const Ticket t = static_cast<Ticket>(first + i);
      Memory::store(slot(t), words::of(0, t, 0));
    }
    Memory::store(*tail, first);
  }

  /// A ticket, for one item, which must come.
  IMBREX_DEVICE Ticket draw() { return static_cast<Ticket>(Memory::add(*tail, 1)); }

  /// Puts the item that has ticket `t` into its slot; false if that is not free yet.
  IMBREX_DEVICE bool try_fill(Ticket t, const item& i) { return try_fill(t, i, Memory::poll(slot(t))); }

  /// Draws a ticket and puts the item into its slot; false if that is not free yet. `next` is the ticket that
  /// the sender expects, and then the one after this: if it is right, the look at the slot and the draw are
  /// under way at once. A slot that is free for a ticket stays so until the ticket's owner fills it, so the
  /// look may come first.
  IMBREX_DEVICE bool try_send(Ticket& next, Ticket& t, const item& i) {
    const Ticket expected = next;
    wide_word seen = Memory::poll(slot(expected));
    t = draw();
    if (t != expected) seen = Memory::poll(slot(t));
    next = static_cast<Ticket>(t + 1);
    return try_fill(t, i, seen);
  }

  /// The receiver's: a look at the slot of the item whose ticket is `head`, which `try_take` may be given
  /// later.
  IMBREX_DEVICE wide_word look(Ticket head) { return Memory::poll(slot(head)); }
  /// The receiver's: takes that item and counts on; false if the look has not seen it.
  IMBREX_DEVICE bool try_take(Ticket& head, item& i, wide_word seen) {
    Memory::use(seen);
    if (words::ticket_of(seen) != static_cast<Ticket>(head + 1)) return false;
    typename Memory::wide& place = slot(head);
    i = words::item_of(seen);
    if ((i.meta & is_ordered) != 0) Memory::acquired(place);
    Memory::store(place, words::of(0, static_cast<Ticket>(head + size), 0));
    ++head;
    return true;
  }
  IMBREX_DEVICE bool try_take(Ticket& head, item& i) { return try_take(head, i, look(head)); }

 private:
  IMBREX_DEVICE bool try_fill(Ticket t, const item& i, const wide_word& seen) {
    if (words::ticket_of(seen) != t) return false;
    const wide_word full = words::of(i.body, static_cast<Ticket>(t + 1), i.meta);
    if ((i.meta & is_ordered) != 0)
      Memory::store_release(slot(t), full);
    else
      Memory::store(slot(t), full);
    return true;
  }
  IMBREX_DEVICE typename Memory::wide& slot(Ticket t) { return slots[t & (size - 1)]; }
};

}  // namespace imbrex::resident
