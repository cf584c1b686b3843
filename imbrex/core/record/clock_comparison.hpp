// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <imbrex/trace/file_format.hpp>

namespace imbrex::detail {

/// Asks process 0, while this process works, what its clock shows: some times in a row, and again after a
/// while, since clocks drift. Of a row the question and the answer that were the shortest on their way are
/// told: where queues are on the way, mostly not those of one reading (`trace::clock_fit`). One thread's.
class clock_comparison {
 public:
  /// `ask` sends a question, which is to be answered by `answered`; `tell` takes what was found, in order.
  clock_comparison(std::function<void()> ask, std::function<void(const trace::clock_reading&)> tell)
      : ask_(std::move(ask)), tell_(std::move(tell)) {}

  /// Asks if it is time to. By this process's clock, ns.
  void go_on(std::uint64_t now) {
    if (now >= next_) [[unlikely]]
      begin(now);
  }
  /// Process 0's clock showed `there` between `sent_at` and `now` of this one.
  void answered(std::uint64_t sent_at, std::uint64_t there, std::uint64_t now);

  static constexpr int questions = 16;                        ///< in a row
  static constexpr std::uint64_t between_rows = 250'000'000;  ///< ns

 private:
  void begin(std::uint64_t now);
  void end_row();

  const std::function<void()> ask_;
  const std::function<void(const trace::clock_reading&)> tell_;
  std::uint64_t next_ = 0;
  int left_ = 0;
  std::optional<trace::clock_reading> quickest_there_;  ///< of the row
  std::optional<trace::clock_reading> quickest_back_;
};

}  // namespace imbrex::detail
