// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// An operation that a device has done.
struct finished_operation {
  enum class type : std::uint8_t { kernel, to_device, from_device, within_device, host_function };

  type what = type::kernel;
  std::string_view name;     ///< of the kernel, or what else it is; valid during the call
  std::uint32_t stream = 0;  ///< a number that no other stream of the device has had
  const std::string& owner;  ///< of the stream
  std::size_t bytes = 0;     ///< that it has copied
  nanoseconds begin{0};      ///< on the clock of the run
  nanoseconds end{0};
};

/// Is told of what a device does: for traces.
class operation_observer {
 public:
  /// In the order in which they end, by one thread at a time; it must not use the device.
  virtual void finished(const finished_operation& operation) noexcept = 0;

 protected:
  ~operation_observer() = default;
};

}  // namespace imbrex
