// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/random_schedule.test.hpp>

#include <algorithm>

namespace imbrex::test {

using tools::pe_state;
using trace::record_kind;

namespace {

constexpr std::uint64_t drift_time = 2'000'000'000;  // ns between two readings of a clock

}  // namespace

random_schedule::random_schedule(unsigned seed, const shape& parameters) : how(parameters), random_(seed) {
  pes.resize(how.processes * how.pes_a_process);
  live_.resize(pes.size());
  free_addresses_.resize(how.processes);
  next_address_.resize(how.processes, 0x1000);
  shifts_.resize(how.processes, 0);
  readings_.resize(how.processes);
  clocks_.resize(how.processes);
  for (std::uint32_t k = 1; k < how.processes; ++k) {
    shifts_[k] = static_cast<std::int64_t>(random_() % 900);
    auto ahead = shifts_[k];
    if (how.clock_errors) ahead += static_cast<std::int64_t>(random_() % 400) - 200;
    readings_[k].push_back({0, ahead, 0});
    // A clock that falls further and further behind: recorded times spread, and stay in order.
    if (how.clock_errors)
      readings_[k].push_back({drift_time, ahead + static_cast<std::int64_t>(random_() % 800'000), 0});
    trace::clock_fit fit;
    for (const auto& reading : readings_[k]) fit.add(reading);
    clocks_[k] = fit.line();
  }
  for (std::uint32_t p = 0; p < pes.size(); ++p) put(p, record_kind::woken, 0, 0, 0, 0, 0);
  for (int k = 0; k < how.steps; ++k) {
    if (random_() % 20 == 0) operate();
    step(static_cast<std::uint32_t>(random_() % pes.size()));
  }
  begin = ~std::uint64_t{0};
  for (std::uint32_t p = 0; p < pes.size(); ++p) {
    begin = std::min(begin, aligned(process_of(p), live_[p].records.front().time));
    end = std::max(end, aligned(process_of(p), live_[p].records.back().time));
  }
  if (!device_records_.empty()) {
    begin = std::min(begin, device_records_.front().time);
    end = std::max(end, device_records_.back().time);
  }
  for (operation& one : operations) one.begin = std::max(one.begin, begin);
  for (std::uint32_t p = 0; p < pes.size(); ++p) {
    const live& one = live_[p];
    pes[p].stretches.push_back(stretch_until(one, end));
    if (one.mode == 'b') pes[p].last_item_end = end;
    pes[p].stretches.front().begin = begin;
    for (stretch& s : pes[p].stretches)
      if (one.began && s.begin >= pes[p].last_item_end && s.state >= pe_state::idle_device)
        s.state = pe_state::after_last;
  }
}

std::uint64_t random_schedule::local(std::uint32_t process) const {
  return now_ - static_cast<std::uint64_t>(shifts_[process]);
}

std::uint64_t random_schedule::aligned(std::uint32_t process, std::uint64_t local) const {
  return clocks_[process].aligned(local);
}

pe_state random_schedule::state(const live& one) const {
  if (one.mode == 'u') return pe_state::unrecorded;
  if (one.mode == 'b') return one.stack.back().program ? pe_state::program : pe_state::runtime;
  if (!one.began) return pe_state::before_first;
  if (one.device_waits > 0) return pe_state::idle_device;
  return one.timer_waits > 0 ? pe_state::idle_timer : pe_state::idle_other;
}

random_schedule::stretch random_schedule::stretch_until(const live& one, std::uint64_t time) const {
  stretch result{one.since, time, state(one), one.parked};
  if (one.stack.empty()) return result;
  result.entry = one.stack.back().entry;
  result.whose = {one.stack.back().group, one.stack.back().element};
  return result;
}

// Notes an event at the time of the last record.
void random_schedule::note(std::uint32_t p, event::kind what, std::uint32_t entry, bool has_element,
                           whose_type whose, std::uint64_t bytes) {
  event& noted = events.emplace_back(what, live_[p].since, entry);
  if (has_element) noted.whose = whose;
  noted.bytes = bytes;
}

void random_schedule::put(std::uint32_t p, record_kind kind, std::uint64_t a, std::uint64_t b,
                          std::uint32_t group, std::uint16_t entry, std::uint8_t detail) {
  now_ += 1 + random_() % 40;
  live& one = live_[p];
  const auto time = aligned(process_of(p), local(process_of(p)));
  pes[p].stretches.push_back(stretch_until(one, time));
  if (one.mode == 'i') one.idle_since_work += time - one.since;
  one.since = time;
  one.records.push_back({local(process_of(p)), kind, detail, entry, group, a, b});
}

void random_schedule::step(std::uint32_t p) {
  const auto choice = random_() % 100;
  if (how.pauses && choice == 0) return pause(p);
  if (how.drops && choice == 1) return drop(p);
  if (choice < 25 && deliver(p)) return;
  if (live_[p].in_item)
    busy_step(p);
  else
    idle_step(p);
}

void random_schedule::pause(std::uint32_t p) {
  put(p, record_kind::off, 0, 0, 0, 0, 0);
  stop_recording(p);
  now_ += random_() % 300;
  put(p, record_kind::on, 0, 0, 0, 0, 0);
}

void random_schedule::drop(std::uint32_t p) {
  stop_recording(p);  // recording stops at the previous record
  now_ += random_() % 300;
  const auto records = 1 + random_() % 9;
  dropped += records;
  put(p, record_kind::dropped, records, 0, 0, 0, 0);
}

void random_schedule::stop_recording(std::uint32_t p) {
  live& one = live_[p];
  if (one.mode == 'b') pes[p].last_item_end = one.since;
  one.mode = 'u';
  one.idle_since_work = 0;
  one.device_waits = one.timer_waits = 0;
  one.parked = one.waited = one.may_end_wait = false;
}

void random_schedule::idle_step(std::uint32_t p) {
  live& one = live_[p];
  if (random_() % 3 == 0) {
    const bool park = random_() % 2 == 0;
    put(p, park ? record_kind::parked : record_kind::woken, 0, 0, 0, 0, 0);
    if (one.mode == 'u') one.worked_until = one.idle_since = one.since;
    one.mode = 'i';
    one.parked = park;
    return;
  }
  begin_item(p);
}

std::vector<std::size_t> random_schedule::here_at(std::uint32_t p) const {
  std::vector<std::size_t> found;
  for (std::size_t m = 0; m < messages.size(); ++m)
    if (messages[m].here && !messages[m].has_begun && messages[m].receiver == p) found.push_back(m);
  return found;
}

void random_schedule::begin_item(std::uint32_t p) {
  live& one = live_[p];
  const auto choices = here_at(p);
  const bool by_message = !choices.empty() && random_() % 10 < 8;
  const bool turn = by_message && random_() % 4 == 0;  // only the element's turn names the message
  const auto which = by_message ? choices[random_() % choices.size()] : 0;
  const auto entry =
      by_message && !turn ? messages[which].entry : static_cast<std::uint16_t>(random_() % entries);
  const auto detail = static_cast<std::uint8_t>(random_() % 3);
  const std::uint64_t element = random_() % 4;
  put(p, record_kind::item_begin, by_message && !turn ? messages[which].address : 0, element, 1, entry,
      detail);
  note(p, event::kind::item, entry, false, {});
  one.call = events.size();
  note(p, event::kind::call, entry, detail == 0, {1, element});
  one.waited = one.mode == 'i' && one.idle_since_work > 0;
  one.worked = detail == 0;
  one.mode = 'b';
  one.in_item = one.began = true;
  one.parked = false;
  one.may_end_wait = !by_message && detail == 2;
  one.stack = {{entry, 1, element, detail == 0, 'i'}};
  if (!by_message) return;
  if (!turn) message_begins(p, which);
  if (!turn && detail == 0 && random_() % 5 == 0) return pass_on(p, which);
  if (!turn && random_() % 2 == 0) return;
  // A broadcast: elements have turns with its message.
  put(p, record_kind::entry_begin, messages[which].address, element, 1, entry, 0);
  note(p, event::kind::call, entry, true, {1, element});
  one.stack.push_back({entry, 1, element, true, 't'});
  one.worked = true;
  if (turn) message_begins(p, which);
}

void random_schedule::message_begins(std::uint32_t p, std::size_t which) {
  live& one = live_[p];
  message& m = messages[which];
  const auto time = one.since;
  m.has_begun = true;
  m.begun = std::max(time, m.ready);
  one.held.push_back(m.address);
  // The message's identity is unknown before its packing has been read.
  const bool known = m.packed == 0 || std::pair(m.packed, m.sender) < std::pair(time, p);
  if (known) one.worked = true;
  const bool was_there = m.is_bytes && m.sent < one.worked_until && m.ready <= one.worked_until + 20'000;
  if (one.waited && known && m.ready > one.worked_until && !was_there) {
    pes[p].takeovers.push_back({time, which});
    one.waited = false;
  }
}

std::uint64_t random_schedule::fresh_address(std::uint32_t process) {
  auto& free = free_addresses_[process];
  if (free.empty()) return next_address_[process] += 64;
  const auto address = free.back();
  free.pop_back();
  return address;
}

// Sends a new message, or forwards a present one.
void random_schedule::send(std::uint32_t p) {
  const auto choices = here_at(p);
  const auto to = static_cast<std::uint32_t>(random_() % pes.size());
  if (!choices.empty() && random_() % 6 == 0)
    return leave(p, messages[choices[random_() % choices.size()]], to, any_entry());
  messages.emplace_back().address = fresh_address(process_of(p));
  leave(p, messages.back(), to, any_entry());
}

// The message's item only forwards it: the report sees another message that calls the same entry.
void random_schedule::pass_on(std::uint32_t p, std::size_t which) {
  const auto [address, entry] = std::pair(messages[which].address, messages[which].entry);
  live_[p].held.clear();
  events[live_[p].call].undone = true;
  messages.emplace_back().address = address;
  leave(p, messages.back(), static_cast<std::uint32_t>(random_() % pes.size()), entry);
}

void random_schedule::leave(std::uint32_t p, message& m, std::uint32_t to, std::uint16_t entry) {
  const auto address = m.address;
  m = message{};
  m.address = address;
  m.bytes = random_() % 5000;
  m.sender = p;
  m.receiver = to;
  m.entry = entry;
  put(p, record_kind::sent, address, m.bytes, to, m.entry, 0);
  ++sent;
  const live& one = live_[p];
  const bool by_element = one.mode == 'b' && one.stack.back().program;
  note(p, event::kind::sent, entry, by_element,
       by_element ? whose_type(one.stack.back().group, one.stack.back().element) : whose_type(), m.bytes);
  m.sent = m.ready = live_[p].since;
  if (process_of(to) == process_of(p)) {
    m.here = random_() % 3 != 0;  // otherwise it arrives later by a link
    return;
  }
  m.is_bytes = true;
  m.number = ++live_[p].packed;
  put(p, record_kind::packed, address, m.bytes, m.number, 0, 0);
  m.packed = live_[p].since;
  free_addresses_[process_of(p)].push_back(address);
}

bool random_schedule::deliver(std::uint32_t p) {
  for (message& m : messages) {
    if (m.receiver != p || m.here || m.has_begun || random_() % 2 == 0) continue;
    if (m.is_bytes) m.address = fresh_address(process_of(p));
    put(p, record_kind::arrived, m.address, m.is_bytes ? m.sender + 1 : 0, m.is_bytes ? m.number : 0, 0, 0);
    m.here = m.arrived = true;
    m.ready = std::max(live_[p].since, m.sent);
    return true;
  }
  return false;
}

void random_schedule::busy_step(std::uint32_t p) {
  live& one = live_[p];
  const auto entry = any_entry();
  const auto group = static_cast<std::uint32_t>(random_() % 2);
  const std::uint64_t element = random_() % 4;
  const auto cause = static_cast<std::uint8_t>(random_() % 5);
  const auto waits = [&](int by) {
    int& count = cause == 3 ? one.device_waits : one.timer_waits;
    if (cause == 3 || cause == 4) count = std::max(count + by, 0);
  };
  switch (random_() % 8) {
    case 0:
    case 1: return send(p);
    case 2:
      if (one.stack.size() > 20) return;
      put(p, record_kind::resumed, 0, element, group, entry, cause);
      if (one.may_end_wait && cause == 3)
        for (stretch& s : pes[p].stretches)
          s.blocked = s.blocked || (s.begin >= one.idle_since && s.state == pe_state::idle_device);
      one.may_end_wait = false;
      note(p, event::kind::resume, entry, false, {});
      waits(-1);
      one.stack.push_back({entry, group, element, true, 'c'});
      one.worked = true;
      return;
    case 3: {
      one.may_end_wait = false;
      std::vector<frame> coroutines;
      for (const frame& f : one.stack)
        if (f.kind == 'c') coroutines.push_back(f);
      if (coroutines.empty() || random_() % 4 == 0) {
        put(p, record_kind::suspended, 0, 1'000'000, group, entry, cause);
        waits(1);
        return;
      }
      const frame ends = coroutines[random_() % coroutines.size()];
      put(p, record_kind::suspended, 0, ends.element, ends.group, ends.entry, cause);
      waits(1);
      const auto same = [&](const frame& f) {
        return f.kind == 'c' && f.entry == ends.entry && f.group == ends.group && f.element == ends.element;
      };
      while (!same(one.stack.back())) one.stack.pop_back();
      one.stack.pop_back();
      return;
    }
    case 4:
      if (one.stack.size() > 20) return;
      put(p, record_kind::entry_begin, 0, element, group, entry, static_cast<std::uint8_t>(cause % 2));
      one.may_end_wait = false;
      note(p, event::kind::call, entry, one.mode == 'b' && cause % 2 == 0, {group, element});
      one.stack.push_back({entry, group, element, cause % 2 == 0, 't'});
      if (cause % 2 == 0) one.worked = true;
      return;
    case 5:
      put(p, record_kind::entry_end, 0, 0, 0, 0, 0);
      if (std::any_of(one.stack.begin(), one.stack.end(), [](const frame& f) { return f.kind == 't'; })) {
        while (one.stack.back().kind != 't') one.stack.pop_back();
        one.stack.pop_back();
      }
      return;
    case 6: put(p, record_kind::mark, 1, 0, 0, 0, 0); return;
    default:
      put(p, record_kind::item_end, 0, 0, 0, 0, 0);
      pes[p].last_item_end = one.idle_since = one.since;
      if (one.worked || one.mode == 'u') {
        one.worked_until = one.since;
        one.idle_since_work = 0;
      }
      one.mode = 'i';
      one.in_item = one.waited = false;
      one.stack.clear();
      auto& free = free_addresses_[process_of(p)];
      free.insert(free.end(), one.held.begin(), one.held.end());
      one.held.clear();
  }
}

void random_schedule::operate() {
  now_ += 1 + random_() % 20;
  const bool copy = random_() % 2 == 0;
  const auto took = std::min<std::uint64_t>(random_() % 300, now_);
  const auto kind = static_cast<std::uint8_t>(copy ? 1 + random_() % 3 : 0);
  device_records_.push_back({now_, record_kind::operation, kind, 0, 0, took, 100});
  operations.push_back({now_ - took, now_, copy});
}

void random_schedule::write(const std::string& file) {
  for (std::uint32_t k = 0; k < how.processes; ++k) {
    trace::file_header head;
    head.process = k;
    head.processes = how.processes;
    head.first_pe = k * how.pes_a_process;
    head.pes = how.pes_a_process;
    trace::file_writer out(trace::file_of_process(file, k), head);
    for (std::uint16_t e = 0; e < entries; ++e)
      out.write_name(trace::name_table::entries, static_cast<std::uint32_t>(e), 0,
                     "entry" + std::to_string(e));
    for (const auto& reading : readings_[k]) out.write(reading);
    if (k == 0) out.write({0, 0, 0});
    // The tracks are written in pieces, in turn.
    std::vector<std::size_t> written(how.pes_a_process, 0);
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t p = 0; p < how.pes_a_process; ++p) {
        const auto& records = live_[head.first_pe + p].records;
        const auto some = std::min<std::size_t>(random_() % 50, records.size() - written[p]);
        out.write(head.first_pe + p, std::span(records).subspan(written[p], some));
        written[p] += some;
        more = more || written[p] < records.size();
      }
    }
    if (k == 0 && !device_records_.empty())
      out.write(track_number(trace::track_class::device, 0), device_records_);
    out.end();
  }
}

}  // namespace imbrex::test
