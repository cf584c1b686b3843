// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include <imbrex/device/work_meter.hpp>

namespace imbrex::detail {

/// The loads of a device: charges the work that PEs submit to the elements that run there. Only in runs that
/// measure loads. Any thread.
class device_loads final : public work_meter {
 public:
  void submitted(double seconds) noexcept override;

  /// Notes that the elements of a PE took the device for so many seconds in its last period. Returns the
  /// seconds of all PEs in theirs.
  double note_period(int pe, double seconds);

 private:
  struct of_pe {
    int pe;
    double seconds;
  };

  std::mutex lock_;
  std::vector<of_pe> last_;
};

}  // namespace imbrex::detail
