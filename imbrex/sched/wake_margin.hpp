// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <imbrex/base/clock.hpp>

namespace imbrex::detail {

/// The time by which a thread sets its wake-up early, so as to be awake in time. It is the delay that 30 of
/// its 32 latest sleeps did not exceed. That can be a few microseconds on real hardware, and was 20 to 100 in
/// a virtual machine. If the next sleep is less late, the thread waits awake for the rest. So the margin is
/// learned and not simply large. One thread.
class wake_margin {
 public:
  static constexpr nanoseconds largest = std::chrono::microseconds(100);

  wake_margin() { late_.fill(std::chrono::microseconds(10)); }

  nanoseconds get() const { return margin_; }

  /// Notes a sleep that ended `late` after its deadline.
  void learn(nanoseconds late) {
    late_[next_] = std::clamp(late, nanoseconds(0), largest);
    next_ = (next_ + 1) % late_.size();
    auto sorted = late_;
    auto* const chosen = sorted.data() + sorted.size() * 15 / 16 - 1;
    std::nth_element(sorted.data(), chosen, sorted.data() + sorted.size());
    margin_ = *chosen;
  }

 private:
  std::array<nanoseconds, 32> late_;
  std::size_t next_ = 0;
  nanoseconds margin_ = std::chrono::microseconds(10);
};

}  // namespace imbrex::detail
