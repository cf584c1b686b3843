// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <imbrex/base/clock.hpp>

namespace imbrex {

namespace emulated {
class simulated_emulation;
}

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
class simulated_time {
 public:
  explicit simulated_time(detail::simulated_clock& clock, std::optional<std::uint64_t> seed = {},
                          double jitter = 0);
  simulated_time(const simulated_time&) = delete;
  simulated_time& operator=(const simulated_time&) = delete;
  ~simulated_time();

  nanoseconds now() const noexcept { return clock_.now(); }
  /// When something happens next by itself; none: never, unless somebody submits something.
  std::optional<nanoseconds> next() const;
  /// Lets happen, in order, all that is due until `moment`, and moves the clock on with it.
  void advance_to(nanoseconds moment);
  /// The numbers of the devices that have done something, or failed, since the last call, in their
  /// order; valid until the next call.
  std::span<const int> take_devices_with_news();
  /// Calls are charged to this one from now on, and what they submit does not start before its time; null:
  /// they take no time.
  void charge_to(detail::local_clock* caller) noexcept { caller_ = caller; }

 private:
  friend class emulated::simulated_emulation;

  detail::simulated_clock& clock_;
  const std::optional<std::uint64_t> seed_;
  const double jitter_;
  detail::local_clock* caller_ = nullptr;
  emulated::simulated_emulation* devices_ = nullptr;
};

}  // namespace imbrex
