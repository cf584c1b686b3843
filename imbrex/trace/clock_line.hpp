// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <imbrex/trace/record.hpp>

namespace imbrex::trace {

/// Limit of valid times: sums of a few of them still fit.
inline constexpr std::uint64_t latest_time = std::uint64_t{1} << 61U;

/// The relation of a process's clock to that of process 0: the lead of process 0's clock at some moments.
/// Between two moments the lead is interpolated; outside, the nearest one holds. Without a moment both clocks
/// are equal.
class clock_line {
 public:
  /// Adds a moment, at `here` of the own clock, which is later than all before.
  void add(std::uint64_t here, std::int64_t ahead);
  bool empty() const { return knots_.empty(); }

  /// Time of process 0's clock when the own clock showed `time`; at least 0.
  std::uint64_t aligned(std::uint64_t time) const;
  /// Aligns the times of all records, which never decrease. Afterwards they do not decrease either, and all
  /// are at least `earliest`.
  void align(std::span<record> records, std::uint64_t earliest) const;

 private:
  struct knot {
    std::uint64_t here;
    std::int64_t ahead;
    double slope;  ///< up to the next knot
  };
  /// Index of the knot that shifts a time.
  std::size_t knot_of(std::uint64_t time) const;
  std::uint64_t shifted(std::uint64_t time, std::size_t by) const;

  std::vector<knot> knots_;
};

}  // namespace imbrex::trace
