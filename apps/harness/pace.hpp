// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <imbrex/spend.hpp>

namespace harness {

/// A minimal time for work, so that it takes a known time: on machines whose processors share a core, and on
/// simulated machines.
struct pace {
  imbrex::nanoseconds whole{0};
  bool is_virtual = false;  ///< spends the time in the machine's model instead of waiting

  using clock = std::chrono::steady_clock;

  /// Waits until this part of the work, which began at `began`, has taken its share of the time.
  void keep(clock::time_point began, double part = 1) const {
    const imbrex::nanoseconds time(static_cast<std::int64_t>(static_cast<double>(whole.count()) * part));
    if (is_virtual) return imbrex::spend(time);
    while (clock::now() - began < time) {
    }
  }
};

}  // namespace harness
