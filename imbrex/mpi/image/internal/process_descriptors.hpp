// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace imbrex::mpi {

/// File descriptors that belong to the process and to no copy: those open when the first copy began, except
/// the standard ones. Includes those that an epoll instance among them waits for, which may be newer, such as
/// the network's connections. A descriptor that was closed and opened again since belongs to a copy.
class process_descriptors {
 public:
  /// Notes the open descriptors as the process's. Only the first call counts.
  static void note();

  static bool holds(int descriptor);
  /// All held descriptors, in ascending order.
  static std::vector<int> all();
  /// Closes all other descriptors from `first` to `last` by a function such as close_range.
  static int close_others(int (*close_range)(unsigned, unsigned, int), unsigned first, unsigned last,
                          int flags);
};

}  // namespace imbrex::mpi
