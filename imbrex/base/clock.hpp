// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace imbrex {

using nanoseconds = std::chrono::nanoseconds;

/// What timers and measurements read, so that a machine can run in real or in virtual time.
class clock {
 public:
  clock() = default;
  clock(const clock&) = delete;
  clock& operator=(const clock&) = delete;
  virtual ~clock() = default;

  /// The time since a fixed but arbitrary moment; never decreases.
  virtual nanoseconds now() const noexcept = 0;
};

/// The system's monotonic clock; any thread may read it.
class real_clock final : public clock {
 public:
  nanoseconds now() const noexcept override;
};

/// A clock that stands still until it is told otherwise. It belongs to the one thread that steps a machine.
class virtual_clock final : public clock {
 public:
  nanoseconds now() const noexcept override { return now_; }

  /// Moves on to `moment`; a moment that has passed changes nothing.
  void advance_to(nanoseconds moment) noexcept;

 private:
  nanoseconds now_{0};
};

}  // namespace imbrex
