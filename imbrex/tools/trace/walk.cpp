// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/walk.hpp>

#include <optional>
#include <vector>

namespace imbrex::tools {
namespace {

using trace::record;
using trace::record_kind;
using trace::track_class;
using kind = walked_frame::kind;

constexpr std::size_t deepest = 64;  // a run never comes near it, damage may

class walker {
 public:
  walker(trace::reader& in, walk_observer& to) : in_(in), to_(to), messages_(no_chains_) {}

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
    for (std::uint32_t t = 0; t < tracks_.size(); ++t) pop_until(t, 0, end);
    to_.finish(end);
  }

 private:
  struct one_track {
    std::uint32_t file = 0;
    track_class kind = track_class::pe;
    std::uint64_t last_record = 0;
    std::vector<walked_frame> stack;
  };

  void begin(std::uint64_t start);
  void take(const record& r, std::uint32_t track);
  void item(const record& r, std::uint32_t track);
  void idle(const record& r, std::uint32_t track, kind now);
  void runs(const record& r, std::uint32_t track, kind what);
  void stops(const record& r, std::uint32_t track);
  void message(const record& r, std::uint32_t track);
  void push(const walked_frame& pushed, std::uint32_t track, std::uint64_t time,
            const message_account::begun* by);
  void pop_until(std::uint32_t track, std::size_t depth, std::uint64_t time);

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
    tracks_.push_back({of.file, trace::class_of_track(of.number), start, {}});
    if (tracks_[t].kind != track_class::device) senders_.emplace(of.number, t);
    if (tracks_[t].kind == track_class::pe) push({}, t, start, nullptr);
  }
}

void walker::take(const record& r, std::uint32_t track) {
  const track_class of = tracks_[track].kind;
  const bool is_thread = of == track_class::pe || of == track_class::comm_thread;
  switch (r.kind) {
    case record_kind::arrived: return message(r, track);
    case record_kind::sent:
    case record_kind::packed: return is_thread ? message(r, track) : void();
    case record_kind::operation: return of == track_class::device ? to_.other(track, r) : void();
    case record_kind::phase_begin:
    case record_kind::phase_end:
    case record_kind::mark:
    case record_kind::produced:
    case record_kind::consumed: return is_thread ? to_.other(track, r) : void();
    default: return of == track_class::pe ? item(r, track) : void();
  }
}

void walker::push(const walked_frame& pushed, std::uint32_t track, std::uint64_t time,
                  const message_account::begun* by) {
  tracks_[track].stack.push_back(pushed);
  to_.begin(track, time, pushed, by);
}

void walker::pop_until(std::uint32_t track, std::size_t depth, std::uint64_t time) {
  auto& stack = tracks_[track].stack;
  for (; stack.size() > depth; stack.pop_back()) to_.end(track, time, stack.back());
}

void walker::item(const record& r, std::uint32_t track) {
  switch (r.kind) {
    case record_kind::item_begin: pop_until(track, 0, r.time); return runs(r, track, kind::item);
    case record_kind::entry_begin: return runs(r, track, kind::turn);
    case record_kind::resumed: return runs(r, track, kind::coroutine);
    case record_kind::entry_end:
    case record_kind::suspended: return stops(r, track);
    case record_kind::item_end:
    case record_kind::woken: return idle(r, track, kind::idle);
    case record_kind::parked: return idle(r, track, kind::parked);
    case record_kind::off: pop_until(track, 0, r.time); return to_.other(track, r);
    case record_kind::dropped: pop_until(track, 0, tracks_[track].last_record); return to_.other(track, r);
    case record_kind::on: return to_.other(track, r);
    default: return;
  }
}

void walker::idle(const record& r, std::uint32_t track, kind now) {
  const auto& stack = tracks_[track].stack;
  if (!stack.empty()) {
    const kind before = stack.front().what;
    if (before == now || (before == kind::item && r.kind != record_kind::item_end)) return;
  }
  pop_until(track, 0, r.time);
  push({now}, track, r.time, nullptr);
}

void walker::runs(const record& r, std::uint32_t track, kind what) {
  std::optional<message_account::begun> by;
  if (r.a != 0 && what != kind::coroutine) by = messages_.begin(r, track, tracks_[track].file);
  const auto& stack = tracks_[track].stack;
  const bool busy = !stack.empty() && stack.front().what == kind::item;
  if (what != kind::item && (!busy || stack.size() >= deepest)) return;
  const bool program =
      what == kind::coroutine || r.detail == static_cast<std::uint8_t>(trace::item_class::entry);
  push({what, program, r.entry, r.group, r.b}, track, r.time, by ? &*by : nullptr);
}

// The innermost that this ends, and what it had begun; as the report has it.
void walker::stops(const record& r, std::uint32_t track) {
  const auto& stack = tracks_[track].stack;
  for (std::size_t depth = stack.size(); depth-- > 0;) {
    const walked_frame& one = stack[depth];
    const bool ends = r.kind == record_kind::entry_end
                          ? one.what == kind::turn
                          : one.what == kind::coroutine && one.entry == r.entry && one.group == r.group &&
                                one.element == r.b;
    if (ends) return pop_until(track, depth, r.time);
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
