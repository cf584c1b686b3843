// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/overlap.hpp>

#include <algorithm>
#include <numeric>

namespace imbrex::tools {

namespace {

/// The length of the set's part before the horizon.
std::uint64_t length_until(const interval_set& set, std::uint64_t horizon) {
  std::uint64_t length = 0;
  for (const interval& piece : set.pieces()) {
    if (piece.begin >= horizon) break;
    length += std::min(piece.end, horizon) - piece.begin;
  }
  return length;
}

}  // namespace

void timeline_overlap::settle_pieces(const interval_set& of) {
  settle(of.pieces()[of.pieces().size() - kept_].begin);
}

// The time may lie within a segment, since items can take no time.
std::vector<timeline_overlap::segment>::iterator timeline_overlap::first_since(std::uint64_t time) {
  auto first = segments_.end();
  while (first != segments_.begin() && (first - 1)->end > time) --first;
  const bool begins_then = first != segments_.begin() && (first - 1)->end == time;
  if (first == segments_.end() || begins_then) return first;
  return segments_.insert(first, {time, first->state}) + 1;
}

void timeline_overlap::relabel_idle_since(std::uint64_t time) {
  for (auto one = first_since(time); one != segments_.end(); ++one)
    if (one->state >= pe_state::idle_device) one->state = pe_state::after_last;
}

void timeline_overlap::relabel_blocked_since(std::uint64_t time) {
  for (auto one = first_since(time); one != segments_.end(); ++one)
    if (one->state == pe_state::idle_device) one->state = static_cast<pe_state>(blocked);
}

std::uint64_t timeline_overlap::length() const {
  return std::accumulate(times_[0].begin(), times_[0].end(), std::uint64_t{0});
}

void timeline_overlap::make_room(std::uint64_t reach) {
  settle(std::min(reach, segments_.back().end));
  if (segments_.size() >= 2 * kept_) settle(segments_[segments_.size() - kept_].end);
  roomy_ = std::min(2 * std::max(segments_.size(), few / 2), 2 * kept_);
}

void timeline_overlap::settle(std::uint64_t horizon) {
  for (std::size_t set = 0; set < intervals_.size(); ++set) settle(set, horizon);
  auto segment = segments_.begin();
  while (segment != segments_.end() && segment->end <= horizon) ++segment;
  segments_.erase(segments_.begin(), segment);
}

void timeline_overlap::settle(std::size_t set, std::uint64_t horizon) {
  auto segment = segments_.begin();
  for (const interval& piece : intervals_[set].pieces()) {
    auto from = piece.begin;
    const auto until = std::min(piece.end, horizon);
    while (from < until) {
      while (segment != segments_.end() && segment->end <= from) ++segment;
      const auto state = segment == segments_.end() ? pe_state::unrecorded : segment->state;
      const auto end = segment == segments_.end() ? until : std::min(until, segment->end);
      times_[set][static_cast<std::size_t>(state)] += end - from;
      from = end;
    }
    if (piece.end >= horizon) break;
  }
  intervals_[set].forget_until(horizon);
}

void union_overlap::add(interval_set& to, interval added) {
  const auto pieces = to.pieces();
  if (pieces.size() >= 2 * kept_) settle(pieces[pieces.size() - kept_].begin);
  to.add(added);
}

void union_overlap::settle(std::uint64_t horizon) {
  first_length_ += length_until(first_, horizon);
  second_length_ += length_until(second_, horizon);
  const auto one = first_.pieces();
  const auto other = second_.pieces();
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    const auto begin = std::max(one[i].begin, other[j].begin);
    const auto end = std::min({one[i].end, other[j].end, horizon});
    if (begin >= horizon) break;
    if (begin < end) both_ += end - begin;
    if (one[i].end < other[j].end)
      ++i;
    else
      ++j;
  }
  first_.forget_until(horizon);
  second_.forget_until(horizon);
}

}  // namespace imbrex::tools
