// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <imbrex/base/clock.hpp>

namespace imbrex {

namespace emulated {
class virtual_emulation;
}

/// Who calls devices in virtual time: a machine that lets several PEs take turns.
class virtual_caller {
 public:
  virtual ~virtual_caller() = default;
  /// The caller's own time, never before that of the devices: what it submits does not start earlier.
  virtual nanoseconds now() const = 0;
  /// A call took so long of the caller's time.
  virtual void charge(nanoseconds time) = 0;
};

/// The time of emulated devices that have no threads. It stands still until somebody advances it, and all
/// that the devices do they do inside these calls and those of their streams: one thread uses them all.
///
/// Without a seed the devices take exactly the times of their model. With one they do what CUDA's rules leave
/// open in ways that the seed alone decides: which of several operations starts first and how late, whether a
/// kernel's or copy's effect is there at its start or at its end, how late the host sees an event and is
/// called by host functions. `jitter` (0 to 1) varies the time of each operation by up to that part of it.
///
/// Whoever polls must let time pass between two looks: none passes by itself. `synchronize` advances it, for
/// all who use it.
class virtual_time {
 public:
  explicit virtual_time(virtual_clock& clock, std::optional<std::uint64_t> seed = {}, double jitter = 0);
  virtual_time(const virtual_time&) = delete;
  virtual_time& operator=(const virtual_time&) = delete;
  ~virtual_time();

  nanoseconds now() const noexcept { return clock_.now(); }
  /// When something happens next by itself; none: never, unless somebody submits something.
  std::optional<nanoseconds> next() const;
  /// Lets happen, in order, all that is due until `moment`, and moves the clock on with it.
  void advance_to(nanoseconds moment);
  /// Calls are charged to this one from now on; null: they take no time.
  void charge_to(virtual_caller* caller) noexcept { caller_ = caller; }

 private:
  friend class emulated::virtual_emulation;

  virtual_clock& clock_;
  const std::optional<std::uint64_t> seed_;
  const double jitter_;
  virtual_caller* caller_ = nullptr;
  emulated::virtual_emulation* devices_ = nullptr;
};

}  // namespace imbrex
