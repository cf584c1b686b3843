// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/clock_line.hpp>

#include <algorithm>

namespace imbrex::trace {

namespace {

__extension__ using wide = __int128;

}  // namespace

bool clock_line::add(const clock_reading& reading) {
  const auto most = static_cast<std::int64_t>(latest_time);
  if (reading.here > latest_time || reading.ahead > most || reading.ahead < -most) return false;
  const auto place =
      std::lower_bound(readings_.begin(), readings_.end(), reading.here,
                       [](const clock_reading& r, std::uint64_t here) { return r.here < here; });
  if (place != readings_.end() && place->here == reading.here)
    *place = reading;
  else
    readings_.insert(place, reading);
  return true;
}

std::size_t clock_line::readings_until(std::uint64_t time) const {
  const auto behind = std::upper_bound(readings_.begin(), readings_.end(), time,
                                       [](std::uint64_t t, const clock_reading& r) { return t < r.here; });
  return static_cast<std::size_t>(behind - readings_.begin());
}

std::uint64_t clock_line::shifted(std::uint64_t time, std::size_t behind) const {
  std::int64_t ahead = 0;
  if (behind == 0) {
    ahead = readings_.front().ahead;
  } else {
    const clock_reading& from = readings_[behind - 1];
    ahead = from.ahead;
    if (behind < readings_.size()) {
      const clock_reading& to = readings_[behind];
      ahead += static_cast<std::int64_t>(wide{to.ahead - from.ahead} * static_cast<wide>(time - from.here) /
                                         static_cast<wide>(to.here - from.here));
    }
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(static_cast<std::int64_t>(time) + ahead, 0));
}

std::uint64_t clock_line::aligned(std::uint64_t time) const {
  return readings_.empty() ? time : shifted(time, readings_until(time));
}

void clock_line::align(std::span<record> records, std::uint64_t earliest) const {
  if (records.empty()) return;
  std::size_t behind = readings_until(records.front().time);
  // Mostly all are on the same side of all readings, and so all are shifted by as much.
  if (readings_.empty() || (behind == readings_.size()) || records.back().time < readings_.front().here) {
    const auto ahead = readings_.empty() ? 0 : readings_[behind == 0 ? 0 : behind - 1].ahead;
    if (ahead == 0 && records.front().time >= earliest) return;
    const auto least = static_cast<std::int64_t>(earliest);
    for (record& r : records)
      r.time = static_cast<std::uint64_t>(std::max(static_cast<std::int64_t>(r.time) + ahead, least));
    return;
  }
  for (record& r : records) {
    while (behind < readings_.size() && readings_[behind].here <= r.time) ++behind;
    r.time = earliest = std::max(earliest, shifted(r.time, behind));
  }
}

}  // namespace imbrex::trace
