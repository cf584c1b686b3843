// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/clock_fit.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace imbrex::trace {

namespace {

/// Limits from a reading, in ns: the request gives `above`, the reply `below`; the true offset is between
/// them.
struct bounds {
  double time;
  double above;
  double below;
};

/// Distances of a line from the requests above it and the replies below it, for a given slope.
struct room {
  double above = std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
};

room room_of(const std::vector<bounds>& all, double slope) {
  room least;
  for (const bounds& b : all) {
    least.above = std::min(least.above, b.above - slope * b.time);
    least.below = std::min(least.below, slope * b.time - b.below);
  }
  return least;
}

/// Finds the slope with the most room, which is a concave function of the slope. With few readings, the most
/// room may follow their noise. So the penalty of a slope is half of the gain that it would bring with many
/// readings.
double best_slope(const std::vector<bounds>& all) {
  const double span = all.back().time - all.front().time;
  const auto value = [&](double slope) {
    const room r = room_of(all, slope);
    return r.above + r.below - std::abs(slope) * span / 2;
  };
  double low = -clock_fit::steepest;
  double high = clock_fit::steepest;
  for (int step = 0; step < 80; ++step) {
    const double third = (high - low) / 3;
    if (value(low + third) < value(high - third))
      low += third;
    else
      high -= third;
  }
  return (low + high) / 2;
}

}  // namespace

std::int64_t clock_fit::stretch::at(std::uint64_t here) const {
  return ahead + std::llround(slope * (static_cast<double>(here) - static_cast<double>(begin)));
}

clock_fit::stretch clock_fit::fit(const std::vector<clock_reading>& readings) {
  const clock_reading& first = readings.front();
  std::vector<bounds> all;
  for (const clock_reading& r : readings) {
    const double way = static_cast<double>(r.round_trip) / 2;
    const auto ahead = static_cast<double>(r.ahead - first.ahead);
    all.push_back({static_cast<double>(r.here - first.here), ahead + way, ahead - way});
  }
  const double slope = all.back().time >= static_cast<double>(least_span) ? best_slope(all) : 0;
  const room left = room_of(all, slope);
  const auto ahead = first.ahead + std::llround((left.above - left.below) / 2);
  return {first.here, readings.back().here, ahead, slope};
}

bool clock_fit::add(const clock_reading& reading) {
  const auto most = static_cast<std::int64_t>(latest_time);
  if (reading.here > latest_time || reading.round_trip > latest_time || reading.ahead > most ||
      reading.ahead < -most)
    return false;
  if (!readings_.empty() && reading.here < readings_.back().here) return false;
  if (readings_.size() > before_ && reading.here - readings_[before_].here >= window) {
    if (before_ > 0) {
      const auto middle = readings_.begin() + static_cast<std::ptrdiff_t>(before_);
      done_.push_back(fit({readings_.begin(), middle}));
      readings_.erase(readings_.begin(), middle);
    }
    before_ = readings_.size();
  }
  readings_.push_back(reading);
  return true;
}

clock_line clock_fit::line() const {
  clock_line line;
  if (readings_.empty()) return line;
  auto stretches = done_;
  const auto middle = readings_.begin() + static_cast<std::ptrdiff_t>(before_);
  if (before_ > 0 && readings_.back().here - readings_.front().here >= window + window / 2) {
    stretches.push_back(fit({readings_.begin(), middle}));
    stretches.push_back(fit({middle, readings_.end()}));
  } else {
    stretches.push_back(fit(readings_));
  }
  const stretch& first = stretches.front();
  const stretch& last = stretches.back();
  if (first.begin < first.middle()) line.add(first.begin, first.at(first.begin));
  for (const stretch& s : stretches) line.add(s.middle(), s.at(s.middle()));
  if (last.end > last.middle()) line.add(last.end, last.at(last.end));
  return line;
}

}  // namespace imbrex::trace
