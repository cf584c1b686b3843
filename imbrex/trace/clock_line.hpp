// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <imbrex/trace/file_format.hpp>

namespace imbrex::trace {

/// Later times than this are not believed: sums of a few of them still fit.
inline constexpr std::uint64_t latest_time = std::uint64_t{1} << 61U;

/// How the clock of one process runs beside that of process 0, by readings: evenly between two of them, as at the
/// nearest one outside. Without a reading both show the same.
class clock_line {
 public:
  /// False, and nothing is added, for a reading that no clock gives.
  bool add(const clock_reading& reading);
  bool empty() const { return readings_.empty(); }

  /// What process 0's clock showed when the own one showed `time`, rounded towards the difference of the reading
  /// before it; not before 0.
  std::uint64_t aligned(std::uint64_t time) const;
  /// The same for the times of all records, which never decrease; afterwards neither do they, and none is before
  /// `earliest`.
  void align(std::span<record> records, std::uint64_t earliest) const;

 private:
  std::uint64_t shifted(std::uint64_t time, std::size_t behind) const;
  std::size_t readings_until(std::uint64_t time) const;

  std::vector<clock_reading> readings_;  // sorted by `here`, all different
};

}  // namespace imbrex::trace
