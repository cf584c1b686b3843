// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/clock_comparison.hpp>

#include <algorithm>

namespace imbrex::detail {

namespace {

/// Times in flight of the request and of the reply. Both contain an error that is equal for all readings.
std::int64_t way_there(const trace::clock_reading& r) {
  return r.ahead + static_cast<std::int64_t>(r.round_trip / 2);
}
std::int64_t way_back(const trace::clock_reading& r) {
  return static_cast<std::int64_t>(r.round_trip) - way_there(r);
}

}  // namespace

void clock_comparison::begin(std::uint64_t now) {
  if (left_ > 0 && quickest_there_) end_row();  // items took so long that few replies were processed in time
  next_ = now + between_rows;
  left_ = questions;
  quickest_there_.reset();
  quickest_back_.reset();
  ask_();
}

void clock_comparison::answered(std::uint64_t sent_at, std::uint64_t there, std::uint64_t now) {
  if (left_ == 0 || sent_at > now) return;
  const std::uint64_t round_trip = now - sent_at;
  const std::uint64_t between = sent_at + round_trip / 2;
  const trace::clock_reading found{between, static_cast<std::int64_t>(there - between), round_trip};
  if (!quickest_there_ || way_there(found) < way_there(*quickest_there_)) quickest_there_ = found;
  if (!quickest_back_ || way_back(found) < way_back(*quickest_back_)) quickest_back_ = found;
  if (--left_ > 0) return ask_();
  end_row();
}

void clock_comparison::end_row() {
  const auto [first, second] = std::minmax(*quickest_there_, *quickest_back_,
                                           [](const auto& l, const auto& r) { return l.here < r.here; });
  tell_(first);
  if (second.here != first.here) tell_(second);
}

}  // namespace imbrex::detail
