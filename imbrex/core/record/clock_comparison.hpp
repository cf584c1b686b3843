// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <imbrex/trace/file_format.hpp>

namespace imbrex::detail {

/// Compares this process's clock with process 0's while the process works. It sends series of requests,
/// repeated after a while since clocks drift. From each series it keeps the request and the reply with the
/// shortest times in flight. With queues in between these are mostly from different readings
/// (`trace::clock_fit`). One thread only.
class clock_comparison {
 public:
  /// `ask` sends a request, whose reply calls `answered`. `tell` receives the readings, in order.
  clock_comparison(std::function<void()> ask, std::function<void(const trace::clock_reading&)> tell)
      : ask_(std::move(ask)), tell_(std::move(tell)) {}

  /// Starts a series if it is due. `now`: this process's clock, ns.
  void go_on(std::uint64_t now) {
    if (now >= next_) [[unlikely]]
      begin(now);
  }
  /// Handles a reply: process 0's clock showed `there` between `sent_at` and `now` of this process's clock.
  void answered(std::uint64_t sent_at, std::uint64_t there, std::uint64_t now);

  static constexpr int questions = 16;                        ///< number of requests in a series
  static constexpr std::uint64_t between_rows = 250'000'000;  ///< ns between two series

 private:
  void begin(std::uint64_t now);
  void end_row();

  const std::function<void()> ask_;
  const std::function<void(const trace::clock_reading&)> tell_;
  std::uint64_t next_ = 0;
  int left_ = 0;
  std::optional<trace::clock_reading> quickest_there_;  ///< shortest request and reply of the series
  std::optional<trace::clock_reading> quickest_back_;
};

}  // namespace imbrex::detail
