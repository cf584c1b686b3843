// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/replay/read_dataflow.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/tools/replay/pe_progress.hpp>
#include <imbrex/tools/trace/chain_store.hpp>
#include <imbrex/tools/trace/message_account.hpp>
#include <imbrex/tools/trace/readable.hpp>

namespace imbrex::tools {
namespace {

using trace::record;
using trace::record_kind;
using trace::track_class;

/// Numbers names in the order of their first use.
class numbering {
 public:
  explicit numbering(std::vector<std::string>& names) : names_(names) {}

  std::uint32_t of(std::string_view name) {
    const auto [at, is_new] =
        numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.emplace_back(name);
    return at->second;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

class reading {
 public:
  explicit reading(trace::reader& in, dataflow_listener* listener = nullptr)
      : in_(in),
        maker_(listener),
        account_(chains_, in),
        entries_(maker_.flow.entries),
        phase_names_(maker_.flow.phase_names),
        data_names_(maker_.flow.data_names) {}

  dataflow outline() {
    find_pes();
    for (auto piece = in_.next(); !piece.records.empty(); piece = in_.next())
      for (const record& r : piece.records) take_outline(r, piece.track);
    return finish();
  }

  dataflow run() {
    find_pes();
    while (true) {
      const auto piece = in_.next();
      if (piece.records.empty()) break;
      if (maker_.is_graph() && records_ + piece.records.size() > most_dataflow_records)
        throw usage_error(in_.files().front()->path() + ": the trace has more than " +
                          std::to_string(most_dataflow_records) +
                          " records, which is too many here; record fewer iterations");
      for (const record& r : piece.records) take(r, piece.track);
    }
    for (auto& one : pes_)
      if (one) one->stop(end_);
    for (const auto& [place, came] : here_) is_over(came);
    for (const auto& [stretch, use] : data_) maker_.use_is_over(use);
    return finish();
  }

 private:
  dataflow finish() {
    maker_.flow.length = (main_has_ended_ ? main_ended_ : end_) - start_.value_or(end_);
    return maker_.finish();
  }

  struct arrival {
    std::uint32_t item = dataflow::none;
    std::uint32_t message = dataflow::none;  // `none` if the sender is unknown
    std::uint32_t collection = 0;
    std::uint64_t element = 0;
    std::uint16_t entry = 0;
  };
  using box_key = std::tuple<std::uint16_t, std::uint32_t, std::uint64_t, std::uint64_t>;

  void find_pes();
  void take(const record& r, std::uint32_t track);
  void take_outline(const record& r, std::uint32_t track);
  void count(const record& r, std::uint32_t track);
  void main_goes_on(const record& r, std::uint32_t track);
  void goes_on(const record& r, std::uint32_t track) const;
  void item_begins(const record& r, std::uint32_t track);
  bool is_main(const record& r, std::uint32_t track) const;
  std::uint32_t begun(const message_account::begun& known, std::uint32_t item);
  void needed(std::uint32_t message, std::uint32_t receiver, std::uint64_t time);
  void is_over(const arrival& came) {
    if (came.message != dataflow::none) maker_.message_is_over(came.message);
  }
  void sent(const record& r, std::uint32_t track);
  void received(const record& r, std::uint32_t track);
  void gathered(const record& r, std::uint32_t track);
  void phase(const record& r, std::uint32_t track);
  void data(const record& r, std::uint32_t track);
  std::string_view mark(const record& r, std::uint32_t track) const {
    return in_.files()[in_.tracks()[track].file]->name(trace::name_table::marks, r.group);
  }
  std::uint64_t since_start(std::uint64_t time) const { return time - *start_; }

  trace::reader& in_;
  dataflow_maker maker_;
  chain_store chains_;
  message_account account_;
  numbering entries_;
  numbering phase_names_;
  numbering data_names_;
  std::vector<std::optional<pe_progress>> pes_;                      // by track
  std::vector<bool> was_off_;                                        // by track
  std::unordered_map<std::uint32_t, std::uint32_t> tracks_;          // key: track number in records
  std::unordered_map<std::uint32_t, std::uint32_t> pe_tracks_;       // key: PE number
  std::unordered_map<std::uint32_t, std::uint32_t> on_their_way_;    // key: message number of the account
  std::vector<std::uint64_t> worked_when_sent_;                      // by message: receiver's work at send
  std::map<std::pair<std::uint32_t, std::uint64_t>, arrival> here_;  // key: process and address
  std::map<box_key, std::uint32_t> boxes_;  // key: port, collection, element and reference
  // Pieces that contributed to something, by track and the thing's name.
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>> parts_;
  // Key: track, name number, id.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> phases_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> data_;
  std::optional<std::uint64_t> start_;
  std::uint64_t end_ = 0;
  std::optional<std::uint32_t> main_track_;
  bool main_runs_ = false;
  bool main_has_ended_ = false;
  std::uint64_t main_ended_ = 0;
  std::uint64_t records_ = 0;  // number of records read so far
};

void reading::find_pes() {
  const auto tracks = in_.tracks();
  pes_.resize(tracks.size());
  was_off_.resize(tracks.size());
  for (std::uint32_t t = 0; t < tracks.size(); ++t) {
    tracks_.emplace(tracks[t].number, t);
    if (trace::class_of_track(tracks[t].number) != track_class::pe) continue;
    const auto number = trace::place_of_track(tracks[t].number);
    const bool in_simulated_time =
        (in_.files()[tracks[t].file]->header().flags & trace::simulated_clock) != 0;
    pes_[t].emplace(maker_, static_cast<std::uint32_t>(maker_.flow.pes.size()), in_simulated_time);
    pe_tracks_.emplace(number, t);
    if (number == 0) main_track_ = t;
    maker_.flow.pes.push_back(number);
  }
}

void reading::count(const record& r, std::uint32_t track) {
  if (!start_) maker_.start = *(start_ = r.time);
  end_ = r.time;
  ++records_;
  if (r.kind == record_kind::dropped)
    throw usage_error(in_.files()[in_.tracks()[track].file]->path() + ": " + std::to_string(r.a) +
                      " records are missing, for which there was no room " +
                      readable_time(static_cast<double>(since_start(r.time))) +
                      " after the first; run again with --trace-full wait");
}

void reading::take_outline(const record& r, std::uint32_t track) {
  count(r, track);
  if (!pes_[track]) return;
  if (r.kind == record_kind::phase_begin || r.kind == record_kind::phase_end) return phase(r, track);
  if (track == main_track_) main_goes_on(r, track);
}

void reading::take(const record& r, std::uint32_t track) {
  count(r, track);
  const auto file = in_.tracks()[track].file;
  if (r.kind == record_kind::packed) {
    const auto known = account_.packed(r, track, file);
    const auto lost = known ? on_their_way_.find(known->message.number) : on_their_way_.end();
    if (lost == on_their_way_.end()) return;
    maker_.message_is_over(lost->second);
    on_their_way_.erase(lost);
    return;
  }
  if (r.kind == record_kind::arrived) return account_.arrived(r, file, tracks_);
  if (!pes_[track]) return;
  if (track == main_track_) main_goes_on(r, track);
  pe_progress& pe = *pes_[track];
  switch (r.kind) {
    case record_kind::item_begin: return item_begins(r, track);
    case record_kind::item_end: return pe.item_end(r.time);
    case record_kind::entry_begin: return pe.turn_begin(r);
    case record_kind::entry_end: return pe.turn_end(r.time);
    case record_kind::suspended: return pe.suspended(r);
    case record_kind::resumed: return pe.resumed(r);
    case record_kind::abandoned: return pe.abandoned(r);
    case record_kind::off: was_off_[track] = true; return pe.stop(r.time);
    case record_kind::on: return goes_on(r, track);
    case record_kind::sent: return sent(r, track);
    case record_kind::received: return received(r, track);
    case record_kind::gathered: return gathered(r, track);
    case record_kind::phase_begin:
    case record_kind::phase_end: return phase(r, track);
    case record_kind::produced:
    case record_kind::consumed: return data(r, track);
    default: return;
  }
}

void reading::goes_on(const record& r, std::uint32_t track) const {
  if (!was_off_[track]) return;
  throw usage_error(
      in_.files()[in_.tracks()[track].file]->path() + ": recording was off until " +
      readable_time(static_cast<double>(since_start(r.time))) +
      " after the first record, so that events are missing; record a part of the run without a gap");
}

// The main task belongs to no chare: its collection is 0, and no entry has its name.
bool reading::is_main(const record& r, std::uint32_t track) const {
  return track == main_track_ && r.group == 0 &&
         in_.files()[in_.tracks()[track].file]->name(trace::name_table::entries, r.entry) == "the main task";
}

// The main task ends at the end of its item, if it was not suspended before.
void reading::main_goes_on(const record& r, std::uint32_t track) {
  switch (r.kind) {
    case record_kind::item_begin: main_runs_ = main_runs_ || (r.a == 0 && is_main(r, track)); return;
    case record_kind::resumed: main_runs_ = main_runs_ || is_main(r, track); return;
    case record_kind::suspended: main_runs_ = main_runs_ && !is_main(r, track); return;
    case record_kind::item_end:
      if (!std::exchange(main_runs_, false)) return;
      main_ended_ = r.time;
      main_has_ended_ = true;
      maker_.flow.last = pes_[track]->running();
      return;
    default: return;
  }
}

void reading::item_begins(const record& r, std::uint32_t track) {
  const auto file = in_.tracks()[track].file;
  auto known = r.a == 0 ? std::nullopt : account_.begin(r, track, file);
  if (known && !on_their_way_.contains(known->message.number)) known.reset();
  const auto item = pes_[track]->item_begin(r, known ? std::optional(known->times.ready) : std::nullopt);
  if (r.a == 0) return;
  arrival& here = here_[{file, r.a}];
  is_over(here);  // an earlier message at this address
  here = {item, dataflow::none, r.group, r.b, r.entry};
  if (known) here.message = begun(*known, item);
  if (here.message != dataflow::none)
    maker_.flow.messages[here.message].is_program =
        r.detail == static_cast<std::uint8_t>(trace::item_class::entry);
}

std::uint32_t reading::begun(const message_account::begun& known, std::uint32_t item) {
  const auto found = on_their_way_.find(known.message.number);
  const auto which = found->second;
  on_their_way_.erase(found);
  auto& m = maker_.flow.messages[which];
  maker_.set_item(which, item);
  needed(which, known.receiver, known.times.begun);
  if (in_.tracks()[known.message.sender].file != in_.tracks()[known.receiver].file)
    m.network = known.times.ready - known.times.sent;
  ++maker_.flow.pieces[item].needs;
  return which;
}

void reading::needed(std::uint32_t message, std::uint32_t receiver, std::uint64_t time) {
  auto& m = maker_.flow.messages[message];
  m.needed = since_start(time);
  m.needed_at = records_;
  m.hidden = std::min(pes_[receiver]->worked(time) - worked_when_sent_[message],
                      m.needed - std::min(m.sent, m.needed));
}

void reading::sent(const record& r, std::uint32_t track) {
  const auto number = account_.next_number();
  const auto file = in_.tracks()[track].file;
  const auto which = maker_.add_message();
  auto& m = maker_.flow.messages[which];
  m.bytes = r.b;
  m.sent = since_start(r.time);
  m.entry = entries_.of(in_.files()[file]->name(trace::name_table::entries, r.entry));
  maker_.set_sender(which, pes_[track]->at(r.time, dataflow::event_kind::send, which));
  const auto to = pe_tracks_.find(r.group);
  worked_when_sent_.resize(maker_.flow.messages.size());
  worked_when_sent_[which] = to == pe_tracks_.end() ? 0 : pes_[to->second]->worked(r.time);
  // A message without a known sender stays incomplete, and so does one that began, by differing clocks,
  // before its send.
  if (!account_.sent(r, track, file, 0) && m.sender != dataflow::none)
    on_their_way_.emplace(number, which);
  else
    maker_.message_is_over(which);
}

void reading::received(const record& r, std::uint32_t track) {
  const auto found = here_.find({in_.tracks()[track].file, r.a});
  pe_progress& pe = *pes_[track];
  if (found == here_.end()) return;  // arrived before the recording, or with a migrated chare
  const arrival came = found->second;
  here_.erase(found);
  // Another entry means that an earlier message had this address; without a running frame no piece needs it.
  const auto user = came.entry == r.entry ? pe.needs_value(r.time) : dataflow::none;
  if (user == dataflow::none) return is_over(came);
  if (maker_.is_graph()) {
    const box_key box{r.entry, came.collection, came.element, r.b};
    const auto [number, is_new] =
        boxes_.try_emplace(box, static_cast<std::uint32_t>(maker_.flow.boxes.size()));
    if (is_new) maker_.flow.boxes.emplace_back();
    maker_.flow.boxes[number->second].users.push_back(user);
    maker_.flow.pieces[came.item].box = number->second;
  }
  if (came.message == dataflow::none) return;
  auto& m = maker_.flow.messages[came.message];
  m.received = true;
  m.reference = static_cast<std::int64_t>(r.b);
  maker_.set_user(came.message, user);
  needed(came.message, track, r.time);
  is_over(came);
}

void reading::gathered(const record& r, std::uint32_t track) {
  const auto ended = pes_[track]->cut(r.time);
  if (ended == dataflow::none || !maker_.is_graph()) return;
  const std::tuple whole{track, r.a, r.b};
  if (r.detail == 0) return parts_[whole].push_back(ended);
  const auto parts = parts_.find(whole);
  if (parts == parts_.end()) return;
  for (const std::uint32_t part : parts->second) maker_.follow(part, pes_[track]->running());
  parts_.erase(parts);
}

void reading::phase(const record& r, std::uint32_t track) {
  if (!maker_.is_graph()) {  // `read_outline` has read the phases
    pes_[track]->running();
    return;
  }
  auto& phases = maker_.flow.phases;
  const std::tuple key{track, r.group, r.b};
  if (r.kind == record_kind::phase_begin) {
    const auto which = static_cast<std::uint32_t>(phases.size());
    const auto begun = since_start(r.time);
    phases.push_back({phase_names_.of(mark(r, track)), begun, begun, records_, records_});
    phases_[key] = which;
    pes_[track]->at(r.time, dataflow::event_kind::phase_begin, which);
    return;
  }
  const auto found = phases_.find(key);
  if (found == phases_.end()) return;
  phases[found->second].ended = since_start(r.time);
  phases[found->second].ended_at = records_;
  pes_[track]->at(r.time, dataflow::event_kind::phase_end, found->second);
  phases_.erase(found);
}

void reading::data(const record& r, std::uint32_t track) {
  auto& all = maker_.flow.data;
  const std::pair stretch{track, r.b};
  const auto found = data_.find(stretch);
  switch (static_cast<trace::data_step>(r.detail)) {
    case trace::data_step::begin:
      if (found != data_.end()) maker_.use_is_over(found->second);
      data_[stretch] =
          maker_.add_use({data_names_.of(mark(r, track)), pes_[track]->running(), r.a, since_start(r.time),
                          since_start(r.time), r.kind == record_kind::produced});
      return;
    case trace::data_step::element:
      if (found != data_.end()) all[found->second].order.push_back(r.a);
      return;
    case trace::data_step::end:
      if (found == data_.end()) return;
      all[found->second].ended = since_start(r.time);
      maker_.use_is_over(found->second);
      data_.erase(found);
  }
}

}  // namespace

dataflow read_dataflow(trace::reader& in) { return reading(in).run(); }

dataflow read_outline(trace::reader& in) { return reading(in).outline(); }

std::vector<std::string> read_dataflow(trace::reader& in, dataflow_listener& listener) {
  return reading(in, &listener).run().entries;
}

}  // namespace imbrex::tools
