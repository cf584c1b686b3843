// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/page/timeline.hpp>

#include <algorithm>

#include <imbrex/tools/trace/element_text.hpp>

namespace imbrex::tools {

namespace {

using trace::record_kind;
using trace::track_class;

constexpr std::size_t least_bins = 16;
constexpr std::size_t most_bins = 4096;
constexpr std::size_t most_links = 128;
constexpr std::size_t most_marks = 20'000;
constexpr std::size_t most_streams = 4'096;
constexpr std::size_t most_names = 4'096;
constexpr std::uint32_t detailed_rows = 65'536;            // row numbers have 16 bits in a page
constexpr std::uint64_t latest = std::uint64_t{1} << 62U;  // bound for times of damaged traces
constexpr std::uint32_t other_links = ~std::uint32_t{0};

interval time_of(const timeline::slice_detail& one) { return one.one.time; }
interval time_of(const timeline::message_detail& one) { return {one.times.sent, one.times.begun}; }
interval time_of(const timeline::operation_detail& one) { return one.time; }

template <class Detail>
bool is_earlier(const Detail& l, const Detail& r) {
  const interval left = time_of(l);
  const interval right = time_of(r);
  return std::pair(left.begin, left.end) < std::pair(right.begin, right.end);
}

/// Removes details that begin at `end` or later, and sorts the others by time.
template <class Detail>
void leave_earlier(std::vector<Detail>& details, std::uint64_t end) {
  std::sort_heap(details.begin(), details.end(), is_earlier<Detail>);
  while (!details.empty() && time_of(details.back()).begin >= end) details.pop_back();
}

}  // namespace

void timeline::begin(const trace::reader& in, std::uint64_t start) {
  in_ = &in;
  start_ = start;
  std::size_t shown = 0;
  for (const auto& track : in.tracks()) {
    const auto kind = trace::class_of_track(track.number);
    row& one = rows_.emplace_back();
    one.is_pe = kind == track_class::pe;
    one.is_device = kind == track_class::device;
    one.process = in.files()[track.file]->header().process;
    one.number = trace::place_of_track(track.number);
    if (one.is_pe || one.is_device) ++shown;
  }
  scale_.bins = std::clamp(limits_.bins / std::max<std::size_t>(shown, 1), least_bins, most_bins);
}

interval timeline::since_start(interval time) {
  const auto since = [this](std::uint64_t t) { return t > start_ ? std::min(t - start_, latest) : 0; };
  const interval of{since(time.begin), since(time.end)};
  while (!scale_.reaches(of.end)) {
    for (row& one : rows_) one.shares.fold();
    for (link& one : links_) one.in_flight.fold(scale_);
    scale_.width *= 2;
  }
  return of;
}

template <class Detail>
void timeline::keep(std::vector<Detail>& present, const Detail& added) {
  present.push_back(added);
  std::push_heap(present.begin(), present.end(), is_earlier<Detail>);
  if (present.size() <= limits_.details) return;
  cut_ = true;
  detail_end_ = std::min(detail_end_, std::max(time_of(present.front()).begin, limits_.from));
  std::pop_heap(present.begin(), present.end(), is_earlier<Detail>);
  present.pop_back();
}

void timeline::stretch(std::uint32_t track, interval time, pe_state state, std::uint32_t entry) {
  const bool runs = state == pe_state::program || state == pe_state::runtime;
  const interval of = since_start(time);
  rows_[track].shares.add(scale_, runs ? entry : share_of(state), of);
}

void timeline::ran(std::uint32_t track, const slice& one) {
  const interval time = since_start(one.time);
  if (track >= detailed_rows || !detailed(time)) return;
  slice_detail added;
  added.one = one;
  added.one.time = time;
  added.row = track;
  if (one.program) added.chare = chare_of(in_->tracks()[track].file, one);
  keep(slices_, added);
}

void timeline::message(const message_account::begun& known) {
  const auto& m = known.message;
  const interval on_its_way = since_start({known.times.sent, known.times.ready});
  const interval whole = since_start({known.times.sent, known.times.begun});
  if (m.sender != known.receiver) {
    link& between = link_of(rows_[m.sender].process, rows_[known.receiver].process);
    ++between.messages;
    between.bytes += m.bytes;
    between.in_flight.add(scale_, on_its_way, m.bytes);
  }
  if (std::max(m.sender, known.receiver) >= detailed_rows || !detailed(whole)) return;
  keep(messages_, {{whole.begin, on_its_way.end, whole.end}, m.bytes, m.sender, known.receiver});
}

timeline::link& timeline::link_of(std::uint32_t from, std::uint32_t to) {
  std::pair key{from, to};
  auto found = link_places_.find(key);
  if (found == link_places_.end() && links_.size() >= most_links) {
    key = {other_links, other_links};
    found = link_places_.find(key);
  }
  if (found == link_places_.end()) {
    found = link_places_.emplace(key, links_.size()).first;
    links_.push_back({key.first, key.second, 0, 0, {}});
  }
  return links_[found->second];
}

std::uint32_t timeline::chare_of(std::uint32_t file, const slice& one) {
  if (one.group == 0 && in_->files()[file]->name(trace::name_table::collections, 0).empty()) return 0;
  const auto [found, is_new] = chare_places_.try_emplace({file, one.group, one.element}, 0);
  if (is_new) {
    found->second = static_cast<std::uint32_t>(chares_.size());
    chares_.push_back(element_text(*in_->files()[file], one.group, one.element));
  }
  return found->second;
}

std::uint32_t timeline::mark_of(std::uint32_t file, std::uint32_t number) {
  const auto known = mark_places_.find({file, number});
  if (known != mark_places_.end()) return known->second;
  std::string name(in_->files()[file]->name(trace::name_table::marks, number));
  if (name.empty() || mark_places_.size() >= most_names) name = "(no name)";
  const auto [found, is_new] = marks_by_name_.try_emplace(name, static_cast<std::uint32_t>(marks_.size()));
  if (is_new) marks_.push_back(name);
  if (mark_places_.size() < most_names) mark_places_[{file, number}] = found->second;
  return found->second;
}

void timeline::other(std::uint32_t track, const trace::record& r) {
  if (r.kind == record_kind::operation)
    operation(track, r);
  else
    phase(track, r);
}

void timeline::operation(std::uint32_t track, const trace::record& r) {
  const interval time = since_start({r.time - std::min(r.a, r.time), r.time});
  rows_[track].shares.add(scale_, r.detail, time);
  if (!detailed(time)) return;
  const auto file = in_->tracks()[track].file;
  auto found = stream_places_.find({track, r.group});
  if (found == stream_places_.end()) {
    if (streams_.size() >= most_streams) return;
    found =
        stream_places_.emplace(std::pair(track, r.group), static_cast<std::uint32_t>(streams_.size())).first;
    const auto owner =
        in_->files()[file]->name(trace::name_table::streams, r.group, in_->tracks()[track].number);
    streams_.push_back({track, owner.empty() ? "stream " + std::to_string(r.group) : std::string(owner)});
  }
  keep(operations_, {time, r.b, track, found->second, mark_of(file, r.entry), r.detail});
}

// Phases that have not ended last to the end of the trace.
void timeline::end(std::uint64_t time) {
  if (in_ == nullptr) return;
  for (const auto& [key, begun] : open_phases_) {
    const auto& [track, name, value, which] = key;
    marked_.push_back({{begun.begin, since_start({time, time}).end},
                       static_cast<std::int64_t>(value),
                       track,
                       mark_of(in_->tracks()[track].file, name),
                       true});
  }
  open_phases_.clear();
  leave_earlier(slices_, detail_end_);
  leave_earlier(messages_, detail_end_);
  leave_earlier(operations_, detail_end_);
}

// The end of a phase replaces the stored begin.
void timeline::phase(std::uint32_t track, const trace::record& r) {
  const interval now = since_start({r.time, r.time});
  const auto file = in_->tracks()[track].file;
  const std::tuple key{track, r.group, r.a, r.b};
  if (r.kind == record_kind::phase_end) {
    const auto begun = open_phases_.find(key);
    if (begun == open_phases_.end()) return;
    marked_.push_back({{begun->second.begin, now.end},
                       static_cast<std::int64_t>(r.a),
                       track,
                       mark_of(file, r.group),
                       true});
    open_phases_.erase(begun);
  } else if (marked_.size() + open_phases_.size() >= most_marks) {
    cut_ = true;
  } else if (r.kind == record_kind::phase_begin) {
    open_phases_[key] = now;
  } else {
    marked_.push_back({now, static_cast<std::int64_t>(r.a), track, mark_of(file, r.group), false});
  }
}

}  // namespace imbrex::tools
