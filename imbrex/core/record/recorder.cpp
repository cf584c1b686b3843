// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/recorder.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace imbrex::detail {

namespace {

using trace::item_class;
using trace::record_kind;

std::uint64_t identity_of(const work& item) { return reinterpret_cast<std::uintptr_t>(&item); }

/// True for messages: other items never leave their process.
bool is_message(const work& item) { return item.type->pack != nullptr; }

bool is_reply(const message& m) { return m.kind().purpose.answers; }

/// The number of a collection in a trace. Array slots are not reused while a run is recorded.
std::uint32_t number_of(std::uint64_t collection) {
  return (static_cast<std::uint32_t>(collection) & ~trace::collection_of_singles) |
         ((collection & singles_bit) != 0 ? trace::collection_of_singles : 0);
}

/// At most 1 ms if ticks are 1 ns or shorter, and at most 50 ms elsewhere: often enough to compare clocks.
constexpr std::uint64_t between_looks_at_clocks = 1'000'000;

}  // namespace

recorder::recorder(trace::recording& into, std::uint32_t track, trace::time_unit unit, const scheduler& whose,
                   std::uint64_t* order)
    : recording_(into),
      track_(into.add_track(track, unit)),
      ticks_(unit == trace::time_unit::ticks),
      scheduler_(whose),
      order_(order),
      main_entry_(into.entry_number("the main task")) {
  track_.follow(now());  // messages may arrive before the first item
}

std::uint64_t recorder::clock_now() {
  const auto time = static_cast<std::uint64_t>(scheduler_.now().count());
  return order_ == nullptr ? time : *order_ = std::max(*order_ + 1, time);
}

void recorder::item_begins(const work& item) {
  if (is_message(item)) note_request(static_cast<const message&>(item));
  if (track_.is_off()) return;
  const auto begun = now_in_order();
  if (!track_.follow(begun)) return;
  if (clocks_ != nullptr && begun - clocks_looked_at_ > between_looks_at_clocks) {
    clocks_looked_at_ = begun;
    clocks_->go_on(static_cast<std::uint64_t>(scheduler_.now().count()));
  }
  in_item_ = true;
  begin_item(item, begun);
}

void recorder::item_ends() {
  if (std::exchange(in_item_, false)) add(record_kind::item_end);
}

void recorder::begin_item(const work& item, std::uint64_t begun) {
  if (!is_message(item)) {
    track_.add({begun, record_kind::item_begin, static_cast<std::uint8_t>(item_class::other),
                other_entry(*item.type), 0, 0, 0});
    return;
  }
  const auto& m = static_cast<const message&>(item);
  const auto element = m.kind().element;
  const auto kind = element == nullptr ? item_class::runtime : item_class::entry;
  track_.add({begun, record_kind::item_begin, static_cast<std::uint8_t>(kind),
              entry_of_reply(m, scheduler_.pe(), entry_of(m)), number_of(m.collection),
              m.kind().brings_message ? 0 : identity_of(m), element == nullptr ? 0 : element(m)});
}

void recorder::parks() {
  if (!track_.is_off() && track_.follow(now())) add(record_kind::parked);
}

void recorder::wakes() {
  if (track_.is_on()) add(record_kind::woken);
}

// Events between items, such as at the end of the run, are not recorded.
void recorder::suspended(const suspension& what) {
  // The coroutine may have begun in a turn, whose request is no separate item.
  if (what.entry().request != nullptr) note_request(static_cast<const message&>(*what.entry().request));
  if (in_item_) add_wait(record_kind::suspended, what.entry(), what.cause());
}
void recorder::resumed(const suspension& what) {
  if (in_item_) add_wait(record_kind::resumed, what.entry(), what.cause());
}
void recorder::abandoned(const scope& entry, trace::wait_cause cause) {
  if (in_item_) add_wait(record_kind::abandoned, entry, {cause});
}

void recorder::received(const work& item, std::int64_t reference) {
  const auto& m = static_cast<const message&>(item);
  // A node of a migrated mailbox, or one put there by an entry, had no message of its own. Another message
  // may have had its address.
  if (!in_item_ || m.kind().element == nullptr) return;
  add(record_kind::received, 0, entry_of(m), number_of(m.collection), identity_of(m),
      static_cast<std::uint64_t>(reference));
}

void recorder::gathered(const void* whole, std::uint64_t number, bool completes) {
  if (!in_item_) return;
  add(record_kind::gathered, completes ? 1 : 0, 0, 0, reinterpret_cast<std::uintptr_t>(whole), number);
}

void recorder::add_wait(record_kind kind, const scope& entry, const awaited& cause) {
  trace::record r{now(), kind, static_cast<std::uint8_t>(cause.cause),
                  0,     0,    static_cast<std::uint64_t>(cause.reference),
                  0};
  if (entry.request == nullptr) {
    r.entry = main_entry_;
  } else {
    const auto& m = static_cast<const message&>(*entry.request);
    r.entry = entry_of(m);
    r.group = number_of(m.collection);
    if (m.kind().element != nullptr) r.b = m.kind().element(m);
  }
  track_.add(r);
}

void recorder::sent(const departing_message& what) {
  const auto& m = static_cast<const message&>(what.message());
  note_request(m);
  const bool ends_turn = turn_ != nullptr && is_reply(m) && what.to() == scheduler_.pe();
  if (ends_turn) note_request(m.reply, static_cast<std::uint32_t>(what.to()), *turn_);
  if (!is_on()) return;
  const auto bytes = what.bytes();
  add(record_kind::sent, 0, entry_of_reply(m, what.to(), entry_of(m)), static_cast<std::uint32_t>(what.to()),
      identity_of(m), bytes);
}

void recorder::note_request(const message& m) {
  if (!m.reply || is_reply(m)) return;
  const auto* const named = m.kind().named != nullptr ? m.kind().named(m) : nullptr;
  note_request(m.reply, m.origin, named != nullptr ? *named : m.kind());
}

void recorder::note_request(const reply_address& reply, std::uint32_t to, const message_type& request) {
  auto& noted = requests_[place_of(to, reply.slot)];
  if (noted.entry != 0 && noted.generation == reply.generation)
    return;  // a request may pass here several
             // times
  const auto [at, is_new] = replies_to_.try_emplace(&request, std::uint16_t{0});
  if (is_new) at->second = recording_.entry_number("reply to " + request.shown_name());
  noted = {reply.generation, at->second};
}

std::uint16_t recorder::entry_of_reply(const message& m, int to, std::uint16_t own) const {
  if (!is_reply(m)) return own;
  const auto at = requests_.find(place_of(static_cast<std::uint32_t>(to), m.reply.slot));
  return at != requests_.end() && at->second.generation == m.reply.generation ? at->second.entry : own;
}

std::optional<packing_record> recorder::packed(const work& item) {
  if (!is_on()) return std::nullopt;
  const auto& m = static_cast<const message&>(item);
  ++packed_;
  add(record_kind::packed, 0, entry_of(m), packed_, identity_of(m));
  return packing_record{track(), packed_};
}

void recorder::arrived(const work& item, const packing_record& packed) {
  const auto& m = static_cast<const message&>(item);
  if (is_on())
    add(record_kind::arrived, 0, entry_of(m), packed.number, identity_of(m), std::uint64_t{packed.track} + 1);
}

void recorder::arrived(const work& item, nanoseconds ago) {
  const auto& m = static_cast<const message&>(item);
  constexpr nanoseconds::rep most = std::numeric_limits<std::uint32_t>::max();
  if (is_on())
    add(record_kind::arrived, 0, entry_of(m), static_cast<std::uint32_t>(std::min(ago.count(), most)),
        identity_of(m));
}

void recorder::record_arrival(trace::track& where, const message& m, nanoseconds now) {
  const auto time = static_cast<std::uint64_t>(now.count());
  if (where.follow(time))
    where.add({time, record_kind::arrived, 0,
               static_cast<std::uint16_t>(std::min<std::uint32_t>(m.kind().id, trace::no_entry)), 0,
               identity_of(m), 0});
}

void recorder::turn_begins(const local_array& part, const chare_header& element, const work_type& entry,
                           const work& broadcast) {
  turn_ = static_cast<const message_type*>(&entry);
  if (is_on())
    add(record_kind::entry_begin, static_cast<std::uint8_t>(item_class::entry),
        entry_of(static_cast<const message_type&>(entry)), number_of(part.id()), identity_of(broadcast),
        part.number_of(element));
}

void recorder::turn_ends() {
  turn_ = nullptr;
  if (is_on()) add(record_kind::entry_end);
}

void recorder::created(const collection_part& part) {
  const std::string shape = part.shape_text();
  recording_.name(trace::name_table::collections, number_of(part.id()), 0,
                  std::string(part.shown_name()) + (shape.empty() ? "" : "\t" + shape));
}

void recorder::created(const local_array& part, const chare_header& element) {
  if (part.shape_text().empty())
    recording_.name(trace::name_table::elements, number_of(part.id()), part.number_of(element),
                    part.element_name(element));
}

void recorder::departs(const local_array&, const chare_header& element, int) {
  add_waits(record_kind::abandoned, element);
}

void recorder::arrives(const local_array& part, const chare_header& element) {
  created(part, element);
  add_waits(record_kind::suspended, element);
}

void recorder::add_waits(record_kind kind, const chare_header& element) {
  if (!in_item_) return;
  for (const scope* s = element.entries; s != nullptr; s = s->next)
    for (const suspension* w = s->waits; w != nullptr; w = w->next()) add_wait(kind, *s, w->cause());
}

std::uint16_t recorder::entry_of(const message& m) {
  const message_type& shown = m.shown_kind();
  if (&shown == &m.kind() || !m.kind().chare_name.empty()) return entry_of(shown);
  const auto [at, is_new] = of_named_.try_emplace({&m.kind(), &shown}, std::uint16_t{0});
  if (is_new) at->second = recording_.entry_number(m.kind().shown_name_for(shown));
  return at->second;
}

std::uint16_t recorder::entry_of(const message_type& kind) {
  return kind.id == message_type::not_numbered
             ? other_entry(kind)
             : static_cast<std::uint16_t>(std::min<std::uint32_t>(kind.id, trace::no_entry));
}

std::uint16_t recorder::other_entry(const work_type& kind) {
  const auto [at, is_new] = other_entries_.try_emplace(&kind, std::uint16_t{0});
  if (is_new) at->second = recording_.entry_number(kind.name);
  return at->second;
}

}  // namespace imbrex::detail
