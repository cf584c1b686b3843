// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace imbrex::mpi {

/// The descriptors of the process that belong to no copy: those that were open when the first copy began, but
/// for the standard ones, and those that an epoll instance among them waits for, which may have come later,
/// such as the network's connections. A descriptor that was closed since, and opened again, is a copy's.
class process_descriptors {
 public:
  /// Descriptors that are open now are the process's. The first call counts.
  static void note();

  static bool holds(int descriptor);
  /// In ascending order.
  static std::vector<int> all();
  /// Closes all others from `first` to `last` by a function such as close_range.
  static int close_others(int (*close_range)(unsigned, unsigned, int), unsigned first, unsigned last,
                          int flags);
};

}  // namespace imbrex::mpi
