// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace imbrex {

class stream_backend;

/// The work of an operation, if nothing else runs on the device.
struct device_work {
  double elapsed = 0;  ///< seconds from its beginning to its end
  double share = 1;    ///< mean share of the device that it takes meanwhile
  double latency = 0;  ///< seconds at its beginning in which it takes nothing of the device

  /// Seconds for which it takes the whole device.
  double seconds() const { return elapsed * share; }
};

/// Receives the work that threads submit to a device, for load balancers.
class work_meter {
 public:
  /// This thread is about to submit an operation to a stream of the device's backend.
  virtual void submits(stream_backend& /*to*/) noexcept {}
  /// This thread has submitted an operation. `name`: as in `finished_operation`.
  virtual void submitted(stream_backend& to, std::string_view name, const device_work& work) noexcept = 0;

 protected:
  ~work_meter() = default;
};

}  // namespace imbrex
