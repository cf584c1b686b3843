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
class operation_listener;
class simulated_emulation;
}  // namespace emulated

/// The time of emulated devices without threads. It stands still until a call advances it. The devices work
/// only inside these calls and those of their streams; one thread uses them all.
///
/// Without a seed the devices take exactly the times of their model. With one they vary whatever CUDA's rules
/// leave open, determined by the seed alone. This includes the order and delay of starts. It includes whether
/// a kernel's or copy's effect occurs at its start or at its end. It includes how late the host sees an
/// event, and host functions are called. `jitter` (0 to 1) varies the time of each operation by up to that
/// fraction.
///
/// Code that polls must let time pass between two polls: no time passes by itself. `synchronize` advances the
/// time, for all users.
class simulated_time {
 public:
  explicit simulated_time(detail::simulated_clock& clock, std::optional<std::uint64_t> seed = {},
                          double jitter = 0);
  simulated_time(const simulated_time&) = delete;
  simulated_time& operator=(const simulated_time&) = delete;
  ~simulated_time();

  nanoseconds now() const noexcept { return clock_.now(); }
  /// The time of the next event; nothing if none happens without a new operation.
  std::optional<nanoseconds> next() const;
  /// Processes all events that are due until `moment`, in order, and moves the clock with them.
  void advance_to(nanoseconds moment);
  /// The numbers of the devices with completions or failures since the last call, in order; valid until the
  /// next call.
  std::span<const int> take_devices_with_news();
  /// Charges calls to `caller` from now on; their operations do not start before its time. Null: calls take
  /// no time.
  void charge_to(detail::local_clock* caller) noexcept { caller_ = caller; }
  /// Reports calls of the devices and their operations from now on; null: to nobody.
  void report_to(emulated::operation_listener* listener) noexcept { listener_ = listener; }
  emulated::operation_listener* listener() const noexcept { return listener_; }

 private:
  friend class emulated::simulated_emulation;

  detail::simulated_clock& clock_;
  const std::optional<std::uint64_t> seed_;
  const double jitter_;
  detail::local_clock* caller_ = nullptr;
  emulated::simulated_emulation* devices_ = nullptr;
  emulated::operation_listener* listener_ = nullptr;
};

}  // namespace imbrex
