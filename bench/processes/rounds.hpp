// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/processes/course.hpp"

namespace bench {

/// The result for one size; its first round has been checked.
struct point {
  std::size_t size = 0;
  std::int64_t rounds = 0;
  double seconds_per_round = 0;
};

/// Counts and times the rounds of one size, for the leading process: a checked round, some warm-up rounds,
/// then the timed ones.
///
///     rounds r(plan, bytes);
///     while (r.next()) r.first() ? checked_round() : round();
class rounds {
 public:
  rounds(const course& plan, std::size_t bytes)
      : timed_(plan.rounds_of(bytes)),
        warm_up_(plan.warm_up_of(bytes)),
        stretch_(timed_ / course::stretches),
        mark_(warm_up_) {}

  /// Call it before each round, and after the last one: then it returns false.
  bool next() {
    if (done_ == mark_) [[unlikely]]
      end_stretch();
    return done_++ < warm_up_ + timed_;
  }
  /// True in the checked round.
  bool first() const { return done_ == 1; }

  /// Calls `f` while the clock is stopped.
  template <class Function>
  void aside(Function f) {
    const auto begin = clock::now();
    f();
    begin_ += clock::now() - begin;
  }

  /// The median of the series, after all rounds.
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
  std::int64_t mark_;  ///< number of rounds at which the current series ends
  std::int64_t done_ = 0;
  clock::time_point begin_{};
  std::vector<double> seconds_;
};

}  // namespace bench
