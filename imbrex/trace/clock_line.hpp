// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <imbrex/trace/record.hpp>

namespace imbrex::trace {

/// Later times than this are not believed: sums of a few of them still fit.
inline constexpr std::uint64_t latest_time = std::uint64_t{1} << 61U;

/// How the clock of one process runs beside that of process 0: by how much that one is ahead at some moments,
/// evenly between them, and outside as at the nearest one. Without a moment both show the same.
class clock_line {
 public:
  /// At `here` of the own clock, which is later than all before.
  void add(std::uint64_t here, std::int64_t ahead);
  bool empty() const { return knots_.empty(); }

  /// What process 0's clock showed when the own one showed `time`; not before 0.
  std::uint64_t aligned(std::uint64_t time) const;
  /// The same for the times of all records, which never decrease; afterwards neither do they, and none is
  /// before `earliest`.
  void align(std::span<record> records, std::uint64_t earliest) const;

 private:
  struct knot {
    std::uint64_t here;
    std::int64_t ahead;
    double slope;  ///< up to the next one
  };
  /// The one by which a time is shifted.
  std::size_t knot_of(std::uint64_t time) const;
  std::uint64_t shifted(std::uint64_t time, std::size_t by) const;

  std::vector<knot> knots_;
};

}  // namespace imbrex::trace
