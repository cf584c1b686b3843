// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/clock.hpp>

namespace imbrex::resident {

/// Decides how a host thread pauses between polls that find nothing. Normally it yields, and so sees another
/// PE's message within a microsecond. A slow yield means that threads other than PEs want the processor. Each
/// yield then costs this thread a share of the processor as work would. So it sleeps for the next `pauses`
/// pauses, which costs nothing, and gets the processor soon after it wakes.
class wait_pace {
 public:
  static constexpr nanoseconds slow{500'000};  ///< longer than a yield takes among dozens of PEs that yield
                                               ///< to each other
  static constexpr nanoseconds pause{20'000};
  static constexpr int pauses = 1024;

  /// True if the thread shall sleep for `pause` now, false if it shall yield.
  bool sleeps() {
    if (pauses_left_ == 0) return false;
    --pauses_left_;
    return true;
  }
  /// Records the duration of a yield.
  void yielded(nanoseconds time) {
    if (time >= slow) pauses_left_ = pauses;
  }

 private:
  int pauses_left_ = 0;
};

}  // namespace imbrex::resident
