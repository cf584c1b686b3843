// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/clock_line.hpp>

#include <algorithm>

namespace imbrex::trace {

namespace {

constexpr double largest_drift = 0x1p61;  // sums fit, whatever the file contains

}  // namespace

void clock_line::add(std::uint64_t here, std::int64_t ahead) {
  if (!knots_.empty()) {
    knot& last = knots_.back();
    last.slope = static_cast<double>(ahead - last.ahead) / static_cast<double>(here - last.here);
  }
  knots_.push_back({here, ahead, 0});
}

std::size_t clock_line::knot_of(std::uint64_t time) const {
  const auto behind = std::upper_bound(knots_.begin(), knots_.end(), time,
                                       [](std::uint64_t t, const knot& k) { return t < k.here; });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(behind - knots_.begin() - 1, 0));
}

std::uint64_t clock_line::shifted(std::uint64_t time, std::size_t by) const {
  const knot& from = knots_[by];
  const auto since = std::max(time, from.here) - from.here;
  const auto drift = std::clamp(from.slope * static_cast<double>(since), -largest_drift, largest_drift);
  const auto ahead = from.ahead + static_cast<std::int64_t>(drift);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(static_cast<std::int64_t>(time) + ahead, 0));
}

std::uint64_t clock_line::aligned(std::uint64_t time) const {
  return knots_.empty() ? time : shifted(time, knot_of(time));
}

void clock_line::align(std::span<record> records, std::uint64_t earliest) const {
  if (records.empty()) return;
  // The processes of process 0's host have its clock.
  const bool is_same = knots_.empty() || (knots_.size() == 1 && knots_.front().ahead == 0);
  if (is_same && records.front().time >= earliest) return;
  std::size_t by = is_same ? 0 : knot_of(records.front().time);
  for (record& r : records) {
    while (by + 1 < knots_.size() && knots_[by + 1].here <= r.time) ++by;
    r.time = earliest = std::max(earliest, is_same ? r.time : shifted(r.time, by));
  }
}

}  // namespace imbrex::trace
