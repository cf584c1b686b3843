// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/trace/clock_line.hpp>
#include <imbrex/trace/file_format.hpp>

namespace imbrex::trace {

/// Finds the line of a process's clock from the questions that it asked process 0.
///
/// A question shows by how much process 0's clock is ahead, plus the time of its way; its answer the same,
/// less the time of the way back. Queues make ways longer, mostly not both at once. So the line lies midway
/// between the questions and the answers that were on their way the shortest, with the slope at which these
/// leave most room between them (Moon, Skelly and Towsley, INFOCOM 1999, for one direction). What is left is
/// half of what the shortest way there takes longer than the shortest way back. Clocks of computers run
/// evenly for some seconds; so each `window` has a line, and a rest of less than half of it none of its own.
class clock_fit {
 public:
  /// In the order of `here`. False, and nothing is added, for a reading that no clock gives or that comes too
  /// early.
  bool add(const clock_reading& reading);
  clock_line line() const;

  /// ns of the own clock.
  static constexpr std::uint64_t window = 8'000'000'000;
  /// Of less no slope can be told from noise.
  static constexpr std::uint64_t least_span = 1'000'000'000;
  /// Who sets a clock slews it by up to 8 % (chrony).
  static constexpr double steepest = 0.1;

 private:
  /// How far process 0's clock is ahead at the beginning, the middle and the end of some readings.
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
  std::vector<clock_reading> readings_;  ///< of the last window, and
  std::size_t before_ = 0;  ///< at their front those of the window before, which is not in `done_`
};

}  // namespace imbrex::trace
