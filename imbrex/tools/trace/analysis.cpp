// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/analysis.hpp>

#include <algorithm>
#include <bit>
#include <compare>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <imbrex/tools/trace/element_count.hpp>
#include <imbrex/tools/trace/element_text.hpp>
#include <imbrex/tools/trace/message_account.hpp>
#include <imbrex/tools/trace/pe_account.hpp>
#include <imbrex/tools/trace/phase_account.hpp>
#include <imbrex/tools/trace/phase_time.hpp>
#include <imbrex/tools/trace/run_observer.hpp>

namespace imbrex::tools {
namespace {

using trace::record;
using trace::record_kind;
using trace::track_class;

constexpr std::size_t enough_history = 2048;  // states kept of a PE, process or device if there are many
constexpr std::size_t slots_a_window = 4096;
constexpr std::size_t tracks_in_cache = 64;  // the state of up to this many tracks stays in the cache
// Distances in pieces. The history's address is known only when the state is in the cache.
constexpr std::size_t state_fetched_ahead = 8;
constexpr std::size_t history_fetched_ahead = 4;
constexpr std::size_t most_history = 1U << 16U;
constexpr std::string_view main_task = "the main task";  // the name in records

struct device_account {
  device_account(std::size_t kept, std::uint64_t begin, std::uint32_t process, std::uint32_t device)
      : start(begin), overlap(kept) {
    report.process = process;
    report.device = device;
  }
  void operation(const record& r, bool counts) {
    // Operations that began before the recording are counted from its start.
    const interval took{r.time - std::min(r.a, r.time - start), r.time};
    if (counts) {
      ++report.operations;
      report.bytes += r.b;
    }
    switch (static_cast<trace::operation_class>(r.detail)) {
      case trace::operation_class::kernel: overlap.add_second(took); break;
      case trace::operation_class::host_to_device:
      case trace::operation_class::device_to_host:
      case trace::operation_class::device_to_device: overlap.add_first(took); break;
      default: break;
    }
  }
  device_report finish() {
    overlap.finish();
    report.overlap = {overlap.first(), overlap.second(), overlap.both(), overlap.cut(), overlap.cut_time()};
    return report;
  }

  std::uint64_t start;
  union_overlap overlap;
  device_report report;
};

struct block_account {
  void operation(const record& r, bool counts) {
    if (!counts) return;
    const std::uint64_t took = std::min(r.a, r.time - start);  // counted from the start of the run
    ++report.entries;
    report.busy += took;
    report.longest = std::max(report.longest, took);
  }

  std::uint64_t start;
  block_report report;
};

/// A set of record kinds as bits.
constexpr std::uint32_t kinds(std::initializer_list<record_kind> all) {
  std::uint32_t bits = 0;
  for (const record_kind kind : all) bits |= std::uint32_t{1} << static_cast<unsigned>(kind);
  return bits;
}

/// The accounts of a track: a PE's, a device's, a block's, or none.
struct track_account {
  std::uint32_t number = 0;  ///< the reader's number of the track
  std::uint32_t file = 0;
  pe_account* pe = nullptr;
  device_account* device = nullptr;
  block_account* block = nullptr;
  std::uint64_t last_record = 0;
  std::uint64_t records = 0;
};

/// The position of a record among all records.
struct moment {
  std::uint64_t time = ~std::uint64_t{0};
  std::uint32_t track = 0;
  std::uint64_t place = 0;  ///< position on its track
  auto operator<=>(const moment&) const = default;
};

class analysis {
 public:
  analysis(trace::reader& in, run_observer* observer, std::size_t history, const phase_time* phase)
      : in_(in), phase_(phase), messages_(all_.chains, in), history_(history) {
    all_.observer = observer;
    // These records relate PEs to each other. An observer needs all records in the order of time.
    if (observer == nullptr)
      in_.order_only(kinds({record_kind::sent, record_kind::packed, record_kind::arrived,
                            record_kind::item_begin, record_kind::entry_begin, record_kind::quiet}));
  }

  run_report run() {
    std::uint64_t window = 0;
    for (auto piece = in_.next(); !piece.records.empty(); piece = in_.next()) {
      if (tracks_.empty()) begin(passed(in_.first_time()));
      if (window != in_.windows()) begin_window();
      window = in_.windows();
      if (tracks_.size() > tracks_in_cache) fetch();
      take(piece);
    }
    begin_window();
    return finish();
  }

 private:
  void begin(std::uint64_t start);
  std::uint64_t passed(std::uint64_t time) const { return phase_ == nullptr ? time : phase_->passed(time); }
  record in_phase(record r) const;
  void take(const trace::reader::piece& piece);
  void begin_window();
  void fetch() const;
  void take(const record& r, track_account& here);
  void sent(const record& r, const track_account& here);
  void packed(const record& r, const track_account& here);
  void message_begins(const record& r, const track_account& here);
  void catch_up(std::uint32_t other, const record& now, const track_account& here);
  void known_begun(const message_account::begun& known, std::uint64_t now);
  void quiet(const record& r, const track_account& here);
  void count(const message_account::begun& known, std::uint64_t now);
  void count_element(const record& r, std::uint32_t entry);
  [[gnu::cold]] std::uint32_t new_entry(std::uint32_t file, std::uint16_t id);
  std::uint32_t entry_of(const record& r, const track_account& here);
  std::string phase_name(std::uint32_t file, std::uint32_t id) const;
  phase_point phase_point_at(const record& r, const track_account& here) const;
  run_report finish();
  std::vector<entry_report> entries_by_begin() const;
  void finish_pes(run_report& report);
  void finish_elements(run_report& report) const;

  trace::reader& in_;
  const phase_time* phase_;  // the phase of the report; null: the whole run
  shared_accounts all_;
  message_account messages_;
  message_report of_messages_;
  std::size_t history_;
  std::vector<track_account> tracks_;
  std::deque<pe_account> pes_;
  std::vector<std::uint32_t> pe_files_;
  std::deque<process_account> processes_;
  std::deque<device_account> devices_;
  std::deque<block_account> blocks_;
  message_account::tracks_by_number senders_;        // tracks that pack messages
  std::vector<std::vector<std::uint32_t>> entries_;  // [file][entry id]: number in `entries`, plus one
  std::unordered_map<std::string, std::uint32_t> entry_numbers_;
  std::vector<moment> entries_begin_;  // first record of each entry
  element_count elements_;
  phase_account phases_;
  path_report path_;
  std::uint64_t next_look_ = 0;  // the window of the next check of messages in flight
  std::uint64_t dropped_ = 0;    // records
  std::uint64_t start_ = 0;
  std::uint64_t end_ = 0;
};

void analysis::take(const trace::reader::piece& piece) {
  track_account& here = tracks_[piece.track];
  if (phase_ == nullptr) {
    for (const record& r : piece.records) {
      take(r, here);
      here.last_record = r.time;
      ++here.records;
    }
  } else {
    const bool counted = all_.counts;
    for (const record& r : piece.records) {
      all_.counts = phase_->contains(r.time);
      const record there = in_phase(r);
      take(there, here);
      here.last_record = there.time;
      ++here.records;
    }
    all_.counts = counted;  // set for the record that caused this catching up
  }
  end_ = std::max(end_, here.last_record);
}

// Converts a record to times of the phase, with the durations that it contains.
record analysis::in_phase(record r) const {
  const std::uint64_t time = passed(r.time);
  const auto since = [&](std::uint64_t ago) { return time - passed(r.time - std::min(ago, r.time)); };
  if (r.kind == record_kind::operation) r.a = since(r.a);
  if (r.kind == record_kind::arrived && r.b == 0) r.group = static_cast<std::uint32_t>(since(r.group));
  r.time = time;
  return r;
}

// Between two pieces of one track the pieces of all other tracks are read, which evict its state from the
// near caches. So state of later pieces is prefetched.
void analysis::fetch() const {
  const auto later = in_.later(state_fetched_ahead);
  if (later.records.empty()) return;
  if (const pe_account* const pe = tracks_[later.track].pe) pe->fetch();
  const auto soon = in_.later(history_fetched_ahead);
  const track_account& near = tracks_[soon.track];
  if (near.pe != nullptr) near.pe->fetch_history();
  messages_.fetch(soon.records.front(), near.file);
}

// The check of all messages in flight is rare, so its cost is negligible.
void analysis::begin_window() {
  all_.changes.begin_window(passed(in_.window_start()), processes_);
  if (in_.windows() < next_look_) return;
  next_look_ = in_.windows() + 1 + messages_.in_flight().slots() / slots_a_window;
  all_.reach = std::min(end_, messages_.in_flight().first_sent());
}

void analysis::begin(std::uint64_t start) {
  start_ = start;
  if (all_.observer != nullptr) all_.observer->begin(in_, start);
  const auto tracks = in_.tracks();
  const auto accounts = std::max<std::size_t>(tracks.size() + in_.files().size(), 1);
  const auto kept = std::clamp<std::size_t>(
      std::max(history_ / accounts, std::min(enough_history, 8 * history_ / accounts)), 1, most_history);
  for (std::size_t f = 0; f < in_.files().size(); ++f) processes_.emplace_back(kept, start);
  entries_.resize(in_.files().size());
  tracks_.resize(tracks.size());
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    tracks_[t].number = static_cast<std::uint32_t>(t);
    tracks_[t].file = tracks[t].file;
    tracks_[t].last_record = start;
    const auto place = trace::place_of_track(tracks[t].number);
    const auto kind = trace::class_of_track(tracks[t].number);
    if (kind == track_class::device) {
      const auto process = in_.files()[tracks[t].file]->header().process;
      tracks_[t].device = &devices_.emplace_back(kept, start, process, place);
      continue;
    }
    if (kind == track_class::block) {
      block_account& account = blocks_.emplace_back();
      account.start = start;
      account.report.process = in_.files()[tracks[t].file]->header().process;
      account.report.place = place;
      tracks_[t].block = &account;
      continue;
    }
    senders_.emplace(tracks[t].number, static_cast<std::uint32_t>(t));
    if (kind != track_class::pe) continue;
    tracks_[t].pe =
        &pes_.emplace_back(place, static_cast<std::uint32_t>(t), kept, start, all_, tracks[t].file);
    pe_files_.push_back(tracks[t].file);
  }
}

std::uint32_t analysis::new_entry(std::uint32_t file, std::uint16_t id) {
  auto& known = entries_[file];
  if (id >= known.size()) known.resize(id + std::size_t{1});
  const std::string_view named = in_.files()[file]->name(trace::name_table::entries, id);
  const std::string name = !named.empty()          ? std::string(named)
                           : id == trace::no_entry ? "further entries"
                                                   : "entry " + std::to_string(id);
  const auto [found, is_new] = entry_numbers_.emplace(name, static_cast<std::uint32_t>(all_.entries.size()));
  if (is_new) {
    all_.entries.emplace_back().name = name;
    all_.entries.back().is_main = name == main_task;
    entries_begin_.emplace_back();
  }
  return known[id] = found->second + 1;
}

std::uint32_t analysis::entry_of(const record& r, const track_account& here) {
  const auto& known = entries_[here.file];
  std::uint32_t number = r.entry < known.size() ? known[r.entry] : 0;
  if (number == 0) number = new_entry(here.file, r.entry);
  moment& begin = entries_begin_[number - 1];
  if (r.time <= begin.time) begin = std::min(begin, {r.time, here.number, here.records});
  return number - 1;
}

std::string analysis::phase_name(std::uint32_t file, std::uint32_t id) const {
  const auto named = in_.files()[file]->name(trace::name_table::marks, id);
  return named.empty() ? "mark " + std::to_string(id) : std::string(named);
}

phase_point analysis::phase_point_at(const record& r, const track_account& here) const {
  phase_point at{.track = here.number, .element = element_table::none, .counts = all_.counts};
  if (here.pe == nullptr) return at;
  at.program_time = here.pe->program_time(r.time);
  const auto owner = here.pe->innermost();
  if (!owner.runs) return at;
  at.entry = all_.entries[owner.entry].name;
  at.element = owner.element;
  return at;
}

void analysis::count_element(const record& r, std::uint32_t entry) {
  if (r.detail != static_cast<std::uint8_t>(trace::item_class::entry) || !all_.counts) return;
  switch (elements_.add(entry, r.group, r.b)) {
    case element_count::answer::fresh: ++all_.entries[entry].elements; break;
    case element_count::answer::full: all_.entries[entry].more_elements = true; break;
    case element_count::answer::known: break;
  }
}

void analysis::take(const record& r, track_account& here) {
  constexpr std::uint32_t of_any_track =
      kinds({record_kind::sent, record_kind::packed, record_kind::arrived, record_kind::operation,
             record_kind::dropped, record_kind::phase_begin, record_kind::phase_end, record_kind::mark});
  pe_account* const pe = here.pe;
  if (pe == nullptr && (of_any_track >> static_cast<unsigned>(r.kind) & 1U) == 0) return;
  switch (r.kind) {
    case record_kind::item_begin: {
      const auto entry = entry_of(r, here);
      count_element(r, entry);
      pe->item_begin(r, entry);
      return message_begins(r, here);
    }
    case record_kind::entry_begin: {
      const auto entry = entry_of(r, here);
      count_element(r, entry);
      pe->entry_begin(r, entry);
      return message_begins(r, here);
    }
    case record_kind::item_end: return pe->item_end(r.time);
    case record_kind::entry_end: return pe->entry_end(r.time);
    case record_kind::resumed: return pe->resumed(r, entry_of(r, here));
    case record_kind::suspended: entry_of(r, here); return pe->suspended(r);
    case record_kind::abandoned: return pe->abandoned(r);
    case record_kind::parked: return pe->parked(r.time);
    case record_kind::woken: return pe->woken(r.time);
    case record_kind::off: return pe->off(r.time);
    case record_kind::quiet: return quiet(r, here);
    case record_kind::sent: return sent(r, here);
    case record_kind::packed: return packed(r, here);
    case record_kind::arrived: return messages_.arrived(r, here.file, senders_);
    case record_kind::operation:
      if (here.block != nullptr) here.block->operation(r, all_.counts);
      if (here.device == nullptr) return;
      here.device->operation(r, all_.counts);
      if (all_.observer != nullptr) all_.observer->other(here.number, r);
      return;
    case record_kind::dropped:
      dropped_ += r.a;
      if (here.device != nullptr) here.device->report.dropped += r.a;
      if (here.block != nullptr) here.block->report.dropped += r.a;
      if (pe != nullptr) pe->dropped(r, here.last_record);
      return;
    case record_kind::phase_begin:
    case record_kind::phase_end:
      phases_.take(r, phase_point_at(r, here), phase_name(here.file, r.group));
      [[fallthrough]];
    case record_kind::mark:
      if (all_.observer != nullptr) all_.observer->other(here.number, r);
      return;
    default: return;  // other marks of the user change nothing
  }
}

void analysis::sent(const record& r, const track_account& here) {
  std::uint32_t chain = 0;
  if (here.pe != nullptr) {
    chain = here.pe->capture();
    here.pe->sent(r);
  }
  if (all_.counts) {
    ++of_messages_.sent;
    of_messages_.bytes += r.b;
    ++of_messages_.sizes[static_cast<std::size_t>(std::bit_width(r.b))];
  }
  if (const auto known = messages_.sent(r, here.number, here.file, chain)) {
    catch_up(known->receiver, r, here);
    known_begun(*known, r.time);
  }
}

void analysis::packed(const record& r, const track_account& here) {
  if (const auto known = messages_.packed(r, here.number, here.file)) {
    catch_up(known->receiver, r, here);
    count(*known, r.time);
    all_.chains.release(known->message.chain);
  }
}

void analysis::message_begins(const record& r, const track_account& here) {
  if (r.a == 0) return;
  if (const auto known = messages_.begin(r, here.number, here.file)) known_begun(*known, r.time);
}

// Reads another track's unordered records before this moment.
void analysis::catch_up(std::uint32_t other, const record& now, const track_account& here) {
  if (other != here.number) take(in_.rest_before(other, now, here.number));
}

// The cause of quiescence is the last work of the PE that worked last.
void analysis::quiet(const record& r, const track_account& here) {
  pe_account* last = here.pe;
  for (const track_account& other : tracks_) {
    if (other.pe == nullptr) continue;
    catch_up(other.number, r, here);
    if (other.pe->worked_until() > last->worked_until()) last = other.pe;
  }
  if (last == here.pe) return;
  const std::uint32_t chain = last->capture();
  if (chain == 0) return void(++path_.lost);
  here.pe->quiet(r.time, chain);
  all_.chains.release(chain);
}

// Accounts for a message that has just begun.
void analysis::known_begun(const message_account::begun& known, std::uint64_t now) {
  count(known, now);
  pe_account& pe = *tracks_[known.receiver].pe;
  if (pe.begun_by_message(known.times, known.message.found)) {
    if (known.message.chain != 0) {
      ++path_.takeovers;
      pe.take_over(known.message.chain, known.times);
    } else {
      ++path_.lost;
    }
  }
  all_.chains.release(known.message.chain);
}

void analysis::count(const message_account::begun& known, std::uint64_t now) {
  message_report& of = of_messages_;
  const message_in_flight& message = known.message;
  const auto& times = known.times;
  const auto from = tracks_[message.sender].file;
  const track_account& to = tracks_[known.receiver];
  if (all_.observer != nullptr) all_.observer->message(known);
  if (all_.counts) {
    ++of.begun;
    if (message_account::had_to_arrive(message)) of.network.add(times.ready - times.sent);
    of.queue.add(times.begun - times.ready);
  }
  const bool own = message.sender == known.receiver;
  to.pe->add_until_begun({own ? times.ready : times.sent, times.begun});
  if (own) return;
  if (all_.counts) {
    ++of.between_pes;
    of.between_pes_bytes += message.bytes;
  }
  const interval on_its_way{times.sent, times.ready};
  to.pe->add(on_its_way);
  if (from == to.file) return;
  if (all_.counts) {
    ++of.between_processes;
    of.between_processes_bytes += message.bytes;
  }
  all_.changes.message(now, to.file, on_its_way);
}

void analysis::finish_pes(run_report& report) {
  std::uint64_t last = 0;
  const pe_account* ends = nullptr;
  for (std::size_t p = 0; p < pes_.size(); ++p) {
    auto of = pes_[p].finish(end_);
    if (ends == nullptr || pes_[p].last_item_end() > last) {
      ends = &pes_[p];
      last = pes_[p].last_item_end();
    }
    of.idle.cut = pes_[p].cut_until_begun();
    of.idle.cut_time = pes_[p].cut_time_until_begun();
    of.process = in_.files()[pe_files_[p]]->header().process;
    report.pes.push_back(of);
  }
  std::sort(report.pes.begin(), report.pes.end(),
            [](const pe_report& l, const pe_report& r) { return l.pe < r.pe; });
  if (ends != nullptr && last >= start_) {
    path_.parts = ends->chain_of_last_item();
    path_.length = last - start_;
    path_.pe = ends->number();
  }
  report.path = path_;
}

std::vector<entry_report> analysis::entries_by_begin() const {
  std::vector<std::size_t> order(all_.entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [this](std::size_t l, std::size_t r) { return entries_begin_[l] < entries_begin_[r]; });
  std::vector<entry_report> entries;
  for (const std::size_t entry : order) {
    const entry_report& e = all_.entries[entry];
    // A report on a phase omits entries that ran only outside of it.
    if (phase_ == nullptr || e.time + e.calls + e.resumes > 0) entries.push_back(e);
  }
  return entries;
}

void analysis::finish_elements(run_report& report) const {
  const auto& accounts = all_.elements.accounts();
  const auto report_of = [&](const element_account& of) {
    return element_report{"", of.busy, of.calls, of.sent, of.sent_bytes};
  };
  const auto name_of = [&](const element_account& of) {
    return element_text(*in_.files()[of.file], of.collection, of.element);
  };
  using chares_of_class = std::pair<chare_report, std::uint32_t>;  // .second: the heaviest element's index
  std::map<std::string, chares_of_class> classes;
  std::unordered_map<std::uint32_t, chares_of_class*> class_of_collection;
  std::vector<std::uint32_t> order;
  for (std::uint32_t place = element_table::first; place < accounts.size(); ++place) {
    const element_account& one = accounts[place];
    if (one.busy == 0 && one.calls == 0 && one.sent == 0) continue;  // ran outside of the phase only
    order.push_back(place);
    auto& its = class_of_collection[one.collection];
    if (its == nullptr) its = &classes[class_text(*in_.files()[one.file], one.collection)];
    auto& [of, heaviest] = *its;
    ++of.elements;
    of.sum.busy += one.busy;
    of.sum.calls += one.calls;
    of.sum.sent += one.sent;
    of.sum.sent_bytes += one.sent_bytes;
    if (of.elements == 1 || one.busy > accounts[heaviest].busy) heaviest = place;
  }
  for (auto& [name, of] : classes) {
    auto& [chare, heaviest] = of;
    chare.name = name;
    chare.heaviest = report_of(accounts[heaviest]);
    chare.heaviest.name = name_of(accounts[heaviest]);
    report.chares.push_back(std::move(chare));
  }
  std::ranges::sort(report.chares, [](const chare_report& l, const chare_report& r) {
    return std::pair(r.sum.busy, l.name) < std::pair(l.sum.busy, r.name);
  });
  const std::size_t reported_count = std::min(order.size(), most_reported_elements);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(reported_count), order.end(),
                    [&](std::uint32_t l, std::uint32_t r) {
                      return std::pair(accounts[r].busy, l) < std::pair(accounts[l].busy, r);
                    });
  for (std::size_t k = 0; k < reported_count; ++k) {
    report.elements.push_back(report_of(accounts[order[k]]));
    report.elements.back().name = name_of(accounts[order[k]]);
  }
  report.more_elements = all_.elements.is_full();
  const auto name_owner = [&](phase_sum& of) {
    if (of.whose >= element_table::first) of.owner = name_of(accounts[of.whose]);
  };
  for (phase_report& phases : report.phases) {
    name_owner(phases.all);
    for (step_report& step : phases.steps) {
      name_owner(step.all);
      step.time = {step.time.begin - start_, step.time.end - start_};
    }
  }
}

run_report analysis::finish() {
  run_report report;
  report.records = in_.records_read();
  report.length = end_ - start_;
  report.processes = in_.processes();
  for (const auto& file : in_.files()) {
    report.all_pes += file->header().pes;
    report.simulated_time = report.simulated_time || (file->header().flags & trace::simulated_clock) != 0;
    report.one_pe_a_process =
        report.one_pe_a_process || (file->header().flags & trace::one_pe_a_process) != 0;
  }
  finish_pes(report);
  if (all_.observer != nullptr) all_.observer->end(end_);
  for (std::size_t f = 0; f < processes_.size(); ++f)
    report.by_process.push_back({in_.files()[f]->header().process, processes_[f].finish(end_)});
  for (auto& device : devices_) report.devices.push_back(device.finish());
  for (const auto& block : blocks_) report.blocks.push_back(block.report);
  report.entries = entries_by_begin();
  report.messages = of_messages_;
  report.messages.arrived_before_sent = messages_.unaccounted().arrived_before_sent;
  report.messages.unknown = messages_.unaccounted().unknown;
  report.messages.forgotten = messages_.unaccounted().forgotten;
  report.phases = phases_.reports();
  finish_elements(report);
  bound_report& bound = report.bound;
  std::uint64_t all = 0;
  for (const pe_report& pe : report.pes) {
    bound.busiest = std::max(bound.busiest, pe.program);
    bound.overlapped = std::max({bound.overlapped, pe.program, pe.overlap.communication});
    all += pe.program;
  }
  bound.mean = report.all_pes == 0 ? 0 : all / report.all_pes;
  bound.latency = report.messages.network.percentile(0.5);
  bound.overlapped += bound.latency;
  for (const device_report& device : report.devices)
    bound.device = std::max({bound.device, device.overlap.communication, device.overlap.computation});
  report.warnings = in_.warnings();
  report.dropped = dropped_;
  if (dropped_ > 0)
    report.warnings.push_back(std::to_string(dropped_) + " of " + std::to_string(dropped_ + report.records) +
                              " records are missing, for which there was no room: the report is of the "
                              "others; run again with a larger --trace-buffer, or with --trace-full wait");
  if (report.pes.empty())
    report.warnings.push_back(
        "nothing was recorded; with --trace-paused the program must call trace::start()");
  return report;
}

}  // namespace

run_report analyse(trace::reader& in, run_observer* observer, std::size_t history) {
  return analysis(in, observer, history, nullptr).run();
}

run_report analyse(trace::reader& in, const phase_time& phase, std::size_t history) {
  return analysis(in, nullptr, history, &phase).run();
}

}  // namespace imbrex::tools
