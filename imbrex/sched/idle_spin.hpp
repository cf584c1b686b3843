// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include <imbrex/base/clock.hpp>

namespace imbrex::detail {

/// Time on this host from a post to a sleeping thread's inbox until the thread runs: 3 us on some machines,
/// 40 in some virtual ones. The lower quartile of a few posts between this thread and another. Takes some ten
/// wakes, or half a millisecond where wakes are slow. Nothing if no other thread or inbox can be made.
std::optional<nanoseconds> measure_wake();

/// Time that a PE without work polls before it sleeps, where no other PE needs its processor. It is twice the
/// cost of a wake, which loses little for any wait. A shorter wait avoids the wake, which also costs the
/// waker a system call. For a longer wait the wake is the smaller part.
class idle_spin {
 public:
  /// Longer than the time of a short message, and too short to be noticed.
  static constexpr nanoseconds shortest = std::chrono::microseconds(30);
  /// Longer, since each poll of the network takes a hundred nanoseconds, and a wake by it two more system
  /// calls.
  static constexpr nanoseconds shortest_with_network = std::chrono::microseconds(150);
  static constexpr nanoseconds longest = std::chrono::microseconds(200);

  idle_spin() = default;
  explicit idle_spin(nanoseconds wake) : time_(std::clamp(2 * wake, shortest, longest)) {}

  nanoseconds time(bool with_network) const {
    return with_network ? std::max(time_, shortest_with_network) : time_;
  }

 private:
  nanoseconds time_ = shortest;
};

}  // namespace imbrex::detail
