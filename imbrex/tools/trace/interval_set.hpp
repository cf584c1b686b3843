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

/// The union of intervals that come in about the order of their ends. What lies far back can be forgotten; an
/// interval that reaches back there is cut, and counted.
class interval_set {
 public:
  /// O(1) if the interval ends near the latest ones, or else O(pieces).
  void add(interval added) {
    if (added.begin >= added.end) return;
    // Nearly all begin no earlier than the last piece, and so touch no other.
    if (added.begin < forgotten_until_ || pieces_.empty() || added.begin < pieces_.back().begin)
      add_farther_back(added);
    else if (added.begin > pieces_.back().end)
      pieces_.emplace_back(added.begin, added.end);
    else
      pieces_.back().end = std::max(pieces_.back().end, added.end);
  }
  /// The union, as intervals that do not touch, in the order of time.
  std::span<const interval> pieces() const { return pieces_; }
  /// Asks for what `add` will need.
  void fetch() const { __builtin_prefetch(pieces_.data() + pieces_.size(), 1); }
  /// Forgets what is before `time`, which never decreases.
  void forget_until(std::uint64_t time);

  /// How many intervals reached back to what was forgotten, and how long they did together.
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
