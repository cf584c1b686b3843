// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>

#include <imbrex/device/device.hpp>
#include <imbrex/trace/recording.hpp>

namespace imbrex::detail {

/// Writes a device's activity into a trace while it lives. Any thread, one at a time, which the device
/// ensures.
class device_recorder final : public operation_observer {
 public:
  device_recorder(trace::recording& into, std::uint32_t number, device& whose);
  ~device_recorder();
  device_recorder(const device_recorder&) = delete;
  device_recorder& operator=(const device_recorder&) = delete;

  /// False if the device's backend does not report operations.
  bool hears() const { return hears_; }
  bool is_of(const device& one) const { return &device_ == &one; }
  /// Writes all operations that have ended by now. Call it before recording is switched on or off.
  void catch_up() noexcept { device_.backend().catch_up(); }
  void finished(const finished_operation& operation) noexcept override;

 private:
  trace::recording& recording_;
  trace::track& track_;
  device& device_;
  std::unordered_set<std::uint32_t> named_streams_;
  const bool hears_;  // initialised last: operations may be reported at once
};

}  // namespace imbrex::detail
