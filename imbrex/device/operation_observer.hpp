// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// An operation that a device has completed.
struct finished_operation {
  enum class type : std::uint8_t { kernel, to_device, from_device, within_device, host_function };

  type what = type::kernel;
  std::string_view name;     ///< name of the kernel or of the operation; valid during the call
  std::uint32_t stream = 0;  ///< number of the stream, unique among all streams that the device has had
  const std::string& owner;  ///< owner of the stream
  std::size_t bytes = 0;     ///< copied bytes
  nanoseconds begin{0};      ///< on the clock of the run
  nanoseconds end{0};
};

/// The receiver of a device's completed operations, for traces.
class operation_observer {
 public:
  /// Called in the order in which operations end, by one thread at a time. Must not use the device.
  virtual void finished(const finished_operation& operation) noexcept = 0;

 protected:
  ~operation_observer() = default;
};

}  // namespace imbrex
