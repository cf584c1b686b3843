// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::trace {

/// Tells what the system's clock showed when the processor's counter (`base/host/ticks.hpp`) did, by readings
/// of both: in a line from one to the next. So no rate is measured beforehand, and no drift adds up.
class tick_line {
 public:
  /// What both showed at one moment.
  struct reading {
    std::uint64_t ticks;
    std::uint64_t ns;
  };
  static reading read_both();

  explicit tick_line(const reading& first) : latest_(first) {}

  /// In the order of time. Of times long past the line is kept in few pieces.
  void add(const reading& now);

  /// After the latest reading the line goes on. Never decreases, but for times of before the latest readings,
  /// of which the line may change with each reading by what the clocks have drifted.
  std::uint64_t ns(std::uint64_t ticks) const;

 private:
  /// From a reading to the next.
  struct piece {
    reading from;
    double ns_per_tick;
  };
  static piece between(const reading& from, const reading& to);

  static constexpr std::size_t most_pieces = 8;

  std::vector<piece> pieces_;  ///< in the order of time; the first has become long
  reading latest_;
};

}  // namespace imbrex::trace
