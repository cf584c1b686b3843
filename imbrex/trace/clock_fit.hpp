// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/trace/clock_line.hpp>
#include <imbrex/trace/file_format.hpp>

namespace imbrex::trace {

/// Fits the line of a process's clock to its clock readings: requests to process 0 and their replies.
///
/// A request gives process 0's lead plus the request's travel time; its reply, the lead minus the reply's
/// travel time. Queues make travel times longer, mostly not both at once. So the line lies midway between the
/// fastest requests and the fastest replies. Its slope is the one that leaves most room between them (Moon,
/// Skelly and Towsley, INFOCOM 1999, for one direction). The remaining error is half of the difference
/// between the shortest travel times there and back. Clocks of computers run evenly for some seconds. So each
/// `window` has a line; a rest of less than half a window has none of its own.
class clock_fit {
 public:
  /// Adds a reading, in the order of `here`. False, without effect, for a reading with impossible numbers or
  /// before the last one.
  bool add(const clock_reading& reading);
  clock_line line() const;

  /// Length of a window in ns of the own clock.
  static constexpr std::uint64_t window = 8'000'000'000;
  /// Shortest span in ns from which a slope is computed; shorter ones cannot distinguish it from noise.
  static constexpr std::uint64_t least_span = 1'000'000'000;
  /// Largest slope: programs that set clocks slew them by up to 8 % (chrony).
  static constexpr double steepest = 0.1;

 private:
  /// Lead of process 0's clock at the beginning, the middle and the end of some readings.
  struct stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::int64_t ahead = 0;
    double slope = 0;

    std::uint64_t middle() const { return begin + (end - begin) / 2; }
    std::int64_t at(std::uint64_t here) const;
  };
  static stretch fit(const std::vector<clock_reading>& readings);

  std::vector<stretch> done_;
  std::vector<clock_reading> readings_;  ///< readings of the last window, preceded by those of the window
                                         ///< before unless in `done_`
  std::size_t before_ = 0;               ///< number of readings of the window before
};

}  // namespace imbrex::trace
