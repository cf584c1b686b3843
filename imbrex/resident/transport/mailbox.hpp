// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Content of a mailbox slot: 8 bytes of a message, and `meta`, which describes them.
struct item {
  std::uint64_t body = 0;
  std::uint32_t meta = 0;
};

/// Flag in an item's meta: the receiver sees everything that the sender wrote before. Both sides pay for that
/// order.
inline constexpr std::uint32_t is_ordered = std::uint32_t{1} << 31U;

/// Layout of a slot's wide word: a body, a ticket, and the item's meta.
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

/// Bounded queue with many senders and one receiver. No operation waits. A view: another object owns the
/// memory.
///
/// A slot is one word of 128 bits: a body, a ticket, and the item's meta. Ticket t belongs to slot t mod
/// size. The slot's ticket is
///
///     t       if the slot is free, for the sender that has drawn t from `tail`
///     t + 1   if it holds an item; the receiver reads it and frees the slot for ticket t + size
///
/// The two sides alternate, so coherence of this single word orders sender and receiver. An item that refers
/// to no other memory needs no fence. A sender whose slot is occupied keeps the item with its ticket
/// (outbox.hpp) and retries later. The receiver takes items in the order of tickets. So no sender can starve
/// another, and items of one sender stay in order.
///
/// `tail` also counts all items ever sent to this mailbox (quiescence.hpp). Tickets wrap. The drawn tickets
/// that are not taken yet must be fewer than half the range of Ticket.
template <class Memory, class Ticket = std::uint32_t>
struct mailbox {
  typename Memory::word* tail = nullptr;
  typename Memory::wide* slots = nullptr;
  std::uint32_t size = 0;  ///< a power of two, at least 2

  using words = item_word<Ticket>;

  /// Initialises the mailbox; to be called before any other use.
  IMBREX_DEVICE void prepare(Ticket first) {
    for (std::uint32_t i = 0; i < size; ++i) {
      const Ticket t = static_cast<Ticket>(first + i);
      Memory::store(slot(t), words::of(0, t, 0));
    }
    Memory::store(*tail, first);
  }

  /// Draws a ticket for one item. The sender must then fill the ticket's slot.
  IMBREX_DEVICE Ticket draw() { return static_cast<Ticket>(Memory::add(*tail, 1)); }

  /// Stores the item of ticket `t` in its slot. False if the slot is not free yet.
  IMBREX_DEVICE bool try_fill(Ticket t, const item& i) { return try_fill(t, i, Memory::poll(slot(t))); }

  /// Draws a ticket and stores the item in its slot. False if the slot is not free yet. `next` is the ticket
  /// that the sender expects; it becomes the ticket after the drawn one. If the expectation is right, the
  /// poll of the slot and the draw overlap. The early poll is safe: a slot that is free for a ticket stays
  /// free until the ticket's owner fills it.
  IMBREX_DEVICE bool try_send(Ticket& next, Ticket& t, const item& i) {
    const Ticket expected = next;
    wide_word seen = Memory::poll(slot(expected));
    t = draw();
    if (t != expected) seen = Memory::poll(slot(t));
    next = static_cast<Ticket>(t + 1);
    return try_fill(t, i, seen);
  }

  /// Receiver only. Polls the slot of ticket `head`. The result may be passed to `try_take` later.
  IMBREX_DEVICE wide_word look(Ticket head) { return Memory::poll(slot(head)); }
  /// Receiver only. Takes the item of ticket `head` and advances `head`. False if the poll has not seen the
  /// item.
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
