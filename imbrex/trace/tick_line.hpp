// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::trace {

/// Converts ticks of the processor's counter (`base/host/ticks.hpp`) to times of the system's clock, by
/// readings of both: linear from one to the next. So no rate is measured beforehand, and drift does not add
/// up.
class tick_line {
 public:
  /// A simultaneous reading of both.
  struct reading {
    std::uint64_t ticks;
    std::uint64_t ns;
  };
  static reading read_both();

  explicit tick_line(const reading& first) : latest_(first) {}

  /// Adds a reading, in the order of time. Older parts of the line are merged into few pieces.
  void add(const reading& now);

  /// The time at `ticks`; after the latest reading the last piece is extended. Times never decrease, except
  /// before the latest readings: there a new reading may change the line by the drift of the clocks.
  std::uint64_t ns(std::uint64_t ticks) const;

 private:
  /// The line between two readings.
  struct piece {
    reading from;
    double ns_per_tick;
  };
  static piece between(const reading& from, const reading& to);

  static constexpr std::size_t most_pieces = 8;

  std::vector<piece> pieces_;  ///< in the order of time; the first is a merged one
  reading latest_;
};

}  // namespace imbrex::trace
