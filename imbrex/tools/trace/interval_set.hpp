// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace imbrex::tools {

/// A span of time, in ns.
struct interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The union of intervals that are added roughly in the order of their ends. Old parts can be forgotten; an
/// interval that reaches into a forgotten part is cut and counted.
class interval_set {
 public:
  /// Adds an interval. O(1) if it ends near the latest ones, else O(pieces).
  void add(interval added) {
    if (added.begin >= added.end) return;
    // Nearly all intervals begin no earlier than the last piece, so they touch no other.
    if (added.begin < forgotten_until_ || pieces_.empty() || added.begin < pieces_.back().begin)
      add_farther_back(added);
    else if (added.begin > pieces_.back().end)
      pieces_.emplace_back(added.begin, added.end);
    else
      pieces_.back().end = std::max(pieces_.back().end, added.end);
  }
  /// The union as disjoint intervals, in the order of time.
  std::span<const interval> pieces() const { return pieces_; }
  /// Prefetches the memory that `add` will need.
  void fetch() const { __builtin_prefetch(pieces_.data() + pieces_.size(), 1); }
  /// Forgets the part before `time`, which never decreases.
  void forget_until(std::uint64_t time);

  /// The number of intervals that reached into the forgotten part, and the total time cut off.
  std::uint64_t cut() const { return cut_; }
  std::uint64_t cut_time() const { return cut_time_; }

 private:
  void add_farther_back(interval added);

  std::vector<interval> pieces_;
  std::uint64_t forgotten_until_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t cut_time_ = 0;
};

}  // namespace imbrex::tools
