// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/walk.hpp>

#include <optional>
#include <variant>
#include <vector>

#include <imbrex/tools/trace/pe_activity.hpp>

namespace imbrex::tools {
namespace {

using trace::record;
using trace::record_kind;
using trace::track_class;
using kind = walked_frame::kind;
using activity = pe_activity<std::monostate>;

/// The frame of a PE that runs no item: idle or parked; empty if its state is unknown.
std::optional<walked_frame> rest_of(const activity& pe) {
  switch (pe.now()) {
    case activity::mode::idle: return walked_frame{kind::idle};
    case activity::mode::parked: return walked_frame{kind::parked};
    default: return std::nullopt;
  }
}

walked_frame walked(const activity::frame& frame) {
  static constexpr kind kinds[]{kind::item, kind::turn, kind::coroutine};
  return {kinds[static_cast<std::size_t>(frame.kind)], frame.program, frame.entry, frame.group,
          frame.element};
}

bool runs_operations(track_class of) { return of == track_class::device || of == track_class::block; }

class walker {
 public:
  walker(trace::reader& in, walk_observer& to) : in_(in), to_(to), messages_(no_chains_, in) {}

  void run() {
    std::uint64_t end = 0;
    for (auto piece = in_.next(); !piece.records.empty(); piece = in_.next()) {
      if (tracks_.empty()) begin(piece.records.front().time);
      for (const record& r : piece.records) {
        take(r, piece.track);
        tracks_[piece.track].last_record = r.time;
      }
      end = piece.records.back().time;
    }
    if (tracks_.empty()) begin(end);
    for (std::uint32_t t = 0; t < tracks_.size(); ++t) stop(t, end);
    to_.finish(end);
  }

 private:
  struct one_track {
    std::uint32_t file = 0;
    track_class kind = track_class::pe;
    std::uint64_t last_record = 0;
    activity does{};  // used by PEs only
  };

  void begin(std::uint64_t start);
  void take(const record& r, std::uint32_t track);
  void item(const record& r, std::uint32_t track);
  void stop(std::uint32_t track, std::uint64_t time);
  void message(const record& r, std::uint32_t track);

  trace::reader& in_;
  walk_observer& to_;
  chain_store no_chains_;
  message_account messages_;
  std::vector<one_track> tracks_;
  message_account::tracks_by_number senders_;
};

void walker::begin(std::uint64_t start) {
  to_.start(start);
  for (std::uint32_t t = 0; t < in_.tracks().size(); ++t) {
    const auto& of = in_.tracks()[t];
    tracks_.push_back({of.file, trace::class_of_track(of.number), start});
    if (!runs_operations(tracks_[t].kind)) senders_.emplace(of.number, t);
    if (tracks_[t].kind == track_class::pe) to_.begin(t, start, {}, nullptr);
  }
}

void walker::take(const record& r, std::uint32_t track) {
  const track_class of = tracks_[track].kind;
  const bool is_thread = of == track_class::pe || of == track_class::comm_thread;
  switch (r.kind) {
    case record_kind::arrived: return message(r, track);
    case record_kind::sent:
    case record_kind::packed: return is_thread ? message(r, track) : void();
    case record_kind::operation: return runs_operations(of) ? to_.other(track, r) : void();
    case record_kind::phase_begin:
    case record_kind::phase_end:
    case record_kind::mark:
    case record_kind::produced:
    case record_kind::consumed: return is_thread ? to_.other(track, r) : void();
    default: return of == track_class::pe ? item(r, track) : void();
  }
}

// The track's state is unknown from then on.
void walker::stop(std::uint32_t track, std::uint64_t time) {
  if (tracks_[track].kind != track_class::pe) return;
  if (const auto rest = rest_of(tracks_[track].does)) to_.end(track, time, *rest);
  tracks_[track].does.stop(
      [&](const activity::frame& frame, std::size_t) { to_.end(track, time, walked(frame)); });
}

void walker::item(const record& r, std::uint32_t track) {
  activity& pe = tracks_[track].does;
  const auto ended = [&](const activity::frame& frame, std::size_t) {
    to_.end(track, r.time, walked(frame));
  };
  const auto begun = [&](const activity::frame* frame) {
    std::optional<message_account::begun> by;
    if (r.a != 0 && r.kind != record_kind::resumed) by = messages_.begin(r, track, tracks_[track].file);
    if (frame != nullptr) to_.begin(track, r.time, walked(*frame), by ? &*by : nullptr);
  };
  const auto rest = rest_of(pe);
  const auto rests = [&] {
    const auto after = rest_of(pe);
    if (!after || (rest && rest->what == after->what)) return;
    if (rest) to_.end(track, r.time, *rest);
    to_.begin(track, r.time, *after, nullptr);
  };
  switch (r.kind) {
    case record_kind::item_begin:
      if (rest) to_.end(track, r.time, *rest);
      return begun(&pe.item_begin(r, ended));
    case record_kind::entry_begin: return begun(pe.turn_begin(r));
    case record_kind::resumed: return begun(pe.resumed(r));
    case record_kind::entry_end: pe.turn_end(ended); return;
    case record_kind::suspended: pe.suspended(r, ended); return;
    case record_kind::item_end: pe.item_end(ended); return rests();
    case record_kind::woken: pe.woken(); return rests();
    case record_kind::parked: pe.parked(); return rests();
    case record_kind::off: stop(track, r.time); return to_.other(track, r);
    case record_kind::dropped: stop(track, tracks_[track].last_record); return to_.other(track, r);
    case record_kind::on: return to_.other(track, r);
    default: return;
  }
}

void walker::message(const record& r, std::uint32_t track) {
  const std::uint32_t file = tracks_[track].file;
  std::optional<message_account::begun> early;
  if (r.kind == record_kind::sent) {
    to_.sent(track, r, messages_.next_number());
    early = messages_.sent(r, track, file, 0);
  } else if (r.kind == record_kind::packed) {
    early = messages_.packed(r, track, file);
  } else {
    messages_.arrived(r, file, senders_);
  }
  if (early) to_.begun_early(r.time, *early);
}

}  // namespace

void walk(trace::reader& in, walk_observer& to) { walker(in, to).run(); }

}  // namespace imbrex::tools
