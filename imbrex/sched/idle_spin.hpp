// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include <imbrex/base/clock.hpp>

namespace imbrex::detail {

/// What it takes on this host until a thread that sleeps at its door runs again, from the call that posts to
/// it: 3 us on some machines, 40 in some virtual ones. The lower quartile of a few posts between this thread
/// and another, which take some ten wakes, or half a millisecond where wakes are slow. Nothing if there can
/// be no other thread or door.
std::optional<nanoseconds> measure_wake();

/// How long a PE without work looks for some before it sleeps, where no other needs its processor. Who looks
/// twice as long as a wake costs loses little with any wait: a shorter one it saves the wake, which costs the
/// waker a system call, too, and of a longer one a wake is the lesser part.
class idle_spin {
 public:
  /// Longer than a short message takes, and shorter than anyone would notice.
  static constexpr nanoseconds shortest = std::chrono::microseconds(30);
  /// Each look at the network takes a hundred nanoseconds, and a wake by it two system calls more.
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
