// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>

#include <imbrex/device/device.hpp>
#include <imbrex/trace/recording.hpp>

namespace imbrex::detail {

/// Writes into a trace what a device does, as long as it lives. Any thread, one at a time: the device sees to
/// that.
class device_recorder final : public operation_observer {
 public:
  device_recorder(trace::recording& into, std::uint32_t number, device& whose);
  ~device_recorder();
  device_recorder(const device_recorder&) = delete;
  device_recorder& operator=(const device_recorder&) = delete;

  /// False if the device's backend cannot tell.
  bool hears() const { return hears_; }
  bool is_of(const device& one) const { return &device_ == &one; }
  /// What has ended by now is written, before recording is switched.
  void catch_up() noexcept { device_.backend().catch_up(); }
  void finished(const finished_operation& operation) noexcept override;

 private:
  trace::recording& recording_;
  trace::track& track_;
  device& device_;
  std::unordered_set<std::uint32_t> named_streams_;
  const bool hears_;  // last: it may be told of something at once
};

}  // namespace imbrex::detail
