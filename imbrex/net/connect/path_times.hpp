// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// Times of messages of up to `longest` bytes, and longer than those of the row before, between two
/// processors of this host. Sender's and receiver's times are added.
struct path_times {
  std::size_t longest = 0;
  std::optional<nanoseconds>
      by_kernel;             ///< copies by the kernel, for a rendezvous of UCX; nothing if forbidden
  nanoseconds by_memory{0};  ///< copies into shared memory and out of it

  bool memory_is_better() const { return !by_kernel || by_memory <= *by_kernel; }
};

/// Measures the paths as endpoints of two processes would, but without UCX. Two threads are bound to the
/// processors of PE 0 and PE 1. Takes a fraction of a second. Empty if this build cannot connect processes.
/// Throws imbrex::error if there is no memory or thread for it.
std::vector<path_times> measure_paths();

}  // namespace imbrex
