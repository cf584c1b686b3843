// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/processes/course.hpp"

namespace bench {

/// What came out for one size, whose first round has been checked.
struct point {
  std::size_t size = 0;
  std::int64_t rounds = 0;
  double seconds_per_round = 0;
};

/// Counts the rounds of one size and times them, for the process that begins them: a checked one, some to
/// warm up, then the timed ones.
///
///     rounds r(asked, bytes);
///     while (r.next()) r.first() ? checked_round() : round();
class rounds {
 public:
  rounds(const course& plan, std::size_t bytes)
      : timed_(plan.rounds_of(bytes)),
        warm_up_(plan.warm_up_of(bytes)),
        stretch_(timed_ / course::stretches),
        mark_(warm_up_) {}

  /// Before each round, and when the last has ended: false then.
  bool next() {
    if (done_ == mark_) [[unlikely]]
      end_stretch();
    return done_++ < warm_up_ + timed_;
  }
  /// True in the round that is checked.
  bool first() const { return done_ == 1; }

  /// Does something while the clock stands.
  template <class Function>
  void aside(Function f) {
    const auto begin = clock::now();
    f();
    begin_ += clock::now() - begin;
  }

  /// The median of the stretches, when all rounds have ended.
  point result(std::size_t size) const {
    auto sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    return {size, timed_, (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2};
  }

 private:
  using clock = std::chrono::steady_clock;

  void end_stretch() {
    const auto now = clock::now();
    if (done_ > warm_up_)
      seconds_.push_back(std::chrono::duration<double>(now - begin_).count() / static_cast<double>(stretch_));
    mark_ += stretch_;
    begin_ = clock::now();
  }

  std::int64_t timed_;
  std::int64_t warm_up_;
  std::int64_t stretch_;
  std::int64_t mark_;  ///< after how many rounds the present stretch ends
  std::int64_t done_ = 0;
  clock::time_point begin_{};
  std::vector<double> seconds_;
};

}  // namespace bench
