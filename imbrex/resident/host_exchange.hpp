// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <imbrex/resident/machine.hpp>

/// PE's end of the channel to and from the host, for its first thread. These functions are no hot path.
namespace imbrex::resident::detail {

/// Copies `bytes` bytes, rounded up to a multiple of 16.
IMBREX_DEVICE inline void copy_words(std::byte* to, const std::byte* from, std::uint32_t bytes) {
  for (std::uint32_t at = 0; at < bytes; at += sizeof(wide_word))
    *reinterpret_cast<wide_word*>(to + at) = *reinterpret_cast<const wide_word*>(from + at);
}

IMBREX_DEVICE inline bool try_send_to_host(const machine& m, pe_state& me, std::uint32_t pe,
                                           const host_item& i) {
  const ring<system_memory> way = m.host.ring_of(pe);
  if (!way.has_room(me.host.sent, me.host.emptied)) return false;
  host_slot* const slot = m.host.slot(pe, way.place(me.host.sent));
  slot->body = i.body;
  slot->meta = i.meta;
  slot->what = i.what;
  slot->bytes = 0;
  if ((i.what & host_item::in_parcel) != 0) {
    const std::byte* const parcel = m.parcel(i.body);
    slot->bytes = reinterpret_cast<const parcel_head*>(parcel)->bytes;
    copy_words(reinterpret_cast<std::byte*>(slot + 1), parcel, slot->bytes);
    m.give_back(i.body);
  }
  way.fill(me.host.sent);
  return true;
}

/// Sends the host the items that found the ring full, in their order. False if some still do.
IMBREX_DEVICE IMBREX_SELDOM inline bool send_pending_to_host(const machine& m, pe_state& me,
                                                             std::uint32_t pe) {
  while (me.host.pending_begin != me.host.pending_end) {
    if (!try_send_to_host(m, me, pe, me.host.pending[me.host.pending_begin % m.sizes.outbox])) return false;
    ++me.host.pending_begin;
  }
  return true;
}

enum class host_sending : std::uint32_t { sent_to_host, kept, full };

/// Sends the host an item. It is kept if the ring is full, or if other items wait before it.
IMBREX_DEVICE IMBREX_SELDOM inline host_sending send_to_host(const machine& m, pe_state& me, std::uint32_t pe,
                                                             std::uint64_t body, std::uint32_t meta,
                                                             std::uint32_t what) {
  const host_item i{body, meta, what};
  if (me.host.pending_begin == me.host.pending_end && try_send_to_host(m, me, pe, i))
    return host_sending::sent_to_host;
  if (me.host.pending_end - me.host.pending_begin == m.sizes.outbox) return host_sending::full;
  me.host.pending[me.host.pending_end++ % m.sizes.outbox] = i;
  return host_sending::kept;
}

/// Slot for a line. Null if the ring is full: the line is lost, and counted.
IMBREX_DEVICE IMBREX_SELDOM inline host_slot* begin_line(const machine& m, pe_state& me, std::uint32_t pe) {
  const ring<system_memory> way = m.host.ring_of(pe);
  if (way.has_room(me.host.sent, me.host.emptied)) return m.host.slot(pe, way.place(me.host.sent));
  ++me.host.lost_lines;
  return nullptr;
}
IMBREX_DEVICE IMBREX_SELDOM inline void end_line(const machine& m, pe_state& me, std::uint32_t pe,
                                                 host_slot* slot, const char* text, std::uint32_t length) {
  auto* const to = reinterpret_cast<char*>(slot + 1) + line_values_bytes;
  for (std::uint32_t n = 0; n < length; ++n) to[n] = text[n];
  slot->bytes = line_values_bytes + length;
  m.host.ring_of(pe).fill(me.host.sent);
}

/// Records an entry that began at `me.records.entry_began` and has ended. Records are published a few at a
/// time, and when the PE rests: a store that the host shall see costs a fence.
IMBREX_DEVICE IMBREX_SELDOM inline void record_entry(const machine& m, pe_state& me, std::uint32_t pe,
                                                     std::uint32_t meta) {
  const ring<system_memory> way = m.host.records_of(pe);
  if (!way.has_room(me.records.filled, me.records.taken)) {
    ++me.records.lost;
    return;
  }
  m.host.records[std::uint64_t{pe - m.host.first_pe} * m.host.records_size + way.place(me.records.filled)] = {
      me.records.entry_began, memory::now(), meta, me.records.lost};
  me.records.lost = 0;
  if (++me.records.filled % 8 == 0) way.show(me.records.filled);
}
IMBREX_DEVICE IMBREX_SELDOM inline void show_records(const machine& m, pe_state& me, std::uint32_t pe) {
  m.host.records_of(pe).show(me.records.filled);
}
IMBREX_DEVICE IMBREX_SELDOM inline void publish_clock(const machine& m) {
  *m.host.clock = memory::now();
  system_memory::store_release(*m.host.clock_is_set, 1);
}

template <class V>
IMBREX_DEVICE constexpr std::uint32_t kind_in_line() {
  if (std::is_same_v<V, bool>) return static_cast<std::uint32_t>(line_value::is_bool);
  if (std::is_floating_point_v<V>) return static_cast<std::uint32_t>(line_value::is_floating);
  return static_cast<std::uint32_t>(std::is_signed_v<V> ? line_value::is_signed : line_value::is_unsigned);
}
template <class V>
IMBREX_DEVICE std::uint64_t bits_in_line(const V& value) {
  if constexpr (std::is_floating_point_v<V>) {
    const auto wide = static_cast<double>(value);
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &wide, sizeof(bits));
    return bits;
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
}

enum class host_polling : std::uint32_t { nothing, message, abandoned };

/// First PE only. Polls the host and puts a received message into `me.host.item_from`. The host's messages
/// wait while the PE keeps many messages for full mailboxes, and while no parcel is free. A poll over a bus
/// is slow. So the host's state, which seldom changes, is polled only when there is no message.
IMBREX_DEVICE IMBREX_SELDOM inline host_polling poll_host(const machine& m, pe_state& me) {
  me.host.lacks_parcel = false;
  const ring<system_memory> way = m.host.ring_of(m.host.from_host());
  if (!me.host.is_open || !way.has_some(me.host.received)) {
    const std::uint32_t state = system_memory::load_acquire(*m.host.state);
    if ((state & host_link::is_abandoned) != 0) return host_polling::abandoned;
    if (!me.host.is_open) return host_polling::nothing;
    if (!way.has_some(me.host.received)) {  // messages sent before the host closed are visible now
      if ((state & host_link::is_closed) != 0) me.host.is_open = false;
      return host_polling::nothing;
    }
  }
  if (me.out.count > m.sizes.outbox / 8) return host_polling::nothing;
  const host_slot* const slot = m.host.slot(m.host.from_host(), way.place(me.host.received));
  me.host.item_from = {slot->body, slot->meta};
  me.host.item_to = slot->what;
  if (slot->bytes != 0) {
    const std::uint32_t one = m.parcels_of(m.pes_here).take(me.host.parcels);
    me.host.lacks_parcel = one == 0;
    if (one == 0) return host_polling::nothing;
    me.host.item_from.body = m.parcel_name(m.pes_here, one);
    copy_words(m.parcel(me.host.item_from.body), reinterpret_cast<const std::byte*>(slot + 1), slot->bytes);
  }
  way.empty(me.host.received);
  return host_polling::message;
}

}  // namespace imbrex::resident::detail
