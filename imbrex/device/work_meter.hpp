// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

/// Receives the work that threads submit to a device, for load balancers.
class work_meter {
 public:
  /// This thread has submitted an operation that takes the whole device for so many seconds.
  virtual void submitted(double seconds) noexcept = 0;

 protected:
  ~work_meter() = default;
};

}  // namespace imbrex
