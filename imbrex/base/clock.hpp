// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/standard/duration.hpp>
#include <imbrex/base/standard/sort.hpp>

namespace imbrex {

using nanoseconds = std::chrono::nanoseconds;  ///< Times and durations of runs, real and simulated.

namespace detail {

/// The clock that timers and measurements read, so that a machine can run in real or in simulated time.
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

/// A clock that stands still until it is advanced. It belongs to the one thread that steps a machine.
class simulated_clock final : public clock {
 public:
  nanoseconds now() const noexcept override { return now_; }

  /// Advances to `moment`; a moment that has passed changes nothing.
  void advance_to(nanoseconds moment) noexcept;

 private:
  nanoseconds now_{0};
};

/// The clock of one PE in simulated time. What the PE does is charged to it. So its time runs ahead of the
/// shared clock while it works, and follows the shared clock while it is idle. It belongs to the one thread
/// that steps them all.
class local_clock final : public clock {
 public:
  /// The shared clock must outlive this one.
  explicit local_clock(const clock& shared) : shared_(shared) {}

  nanoseconds now() const noexcept override;
  /// Charges this time to the PE. The sum stays at the largest time that nanoseconds can hold.
  void charge(nanoseconds time) noexcept { free_from_ = now() + std::min(time, nanoseconds::max() - now()); }

  /// The end of the charged time.
  nanoseconds free_from() const noexcept { return free_from_; }
  /// Takes back what has been charged since `free_from` was `before`.
  void take_back(nanoseconds before) noexcept { free_from_ = before; }

 private:
  const clock& shared_;
  nanoseconds free_from_{0};
};

}  // namespace detail
}  // namespace imbrex
