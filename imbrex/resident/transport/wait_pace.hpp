// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/clock.hpp>

namespace imbrex::resident {

/// What one thread of a host does between looks that find nothing: it yields, and so sees within a
/// microsecond what another PE sends. Where a yield takes long, others than PEs want the processor, and each
/// yield costs this thread a share of it as if it had worked: so it sleeps for some times, which costs it
/// nothing, and is soon given the processor when it wakes.
class wait_pace {
 public:
  static constexpr nanoseconds slow{500'000};  ///< more than dozens of PEs take who yield to each other
  static constexpr nanoseconds pause{20'000};
  static constexpr int pauses = 1024;

  /// True if it shall sleep for `pause` now, else it yields.
  bool sleeps() {
    if (pauses_left_ == 0) return false;
    --pauses_left_;
    return true;
  }
  /// It has yielded, for so long.
  void yielded(nanoseconds time) {
    if (time >= slow) pauses_left_ = pauses;
  }

 private:
  int pauses_left_ = 0;
};

}  // namespace imbrex::resident
