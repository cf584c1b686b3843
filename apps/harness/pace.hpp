// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <imbrex/core/run/spend.hpp>

namespace harness {

/// What work takes at least, so that it takes the same known time on machines whose processors share a core,
/// or of which there is only a model.
struct pace {
  imbrex::nanoseconds whole{0};
  bool is_virtual = false;  ///< the time is spent in the machine's model, and not waited for

  using clock = std::chrono::steady_clock;

  /// Waits until this part of the work, which began then, has taken its time.
  void keep(clock::time_point began, double part = 1) const {
    const imbrex::nanoseconds time(static_cast<std::int64_t>(static_cast<double>(whole.count()) * part));
    if (is_virtual) return imbrex::spend(time);
    while (clock::now() - began < time) {
    }
  }
};

}  // namespace harness
