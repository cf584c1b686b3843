// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// What messages of up to so many bytes, and longer ones than those of the row before, take between two
/// processors of this host, sender's and receiver's time together.
struct path_times {
  std::size_t longest = 0;
  std::optional<nanoseconds>
      by_kernel;             ///< which copies them for a rendezvous of UCX; nothing where it must not
  nanoseconds by_memory{0};  ///< copied into memory that both share, and out of it

  bool memory_is_better() const { return !by_kernel || by_memory <= *by_kernel; }
};

/// As endpoints of two processes would compare it, but without UCX: by two threads, each bound to a processor
/// as PE 0 and PE 1 would be. Takes a fraction of a second. Empty where this build cannot connect processes.
/// Throws imbrex::error if there is no memory or thread for it.
std::vector<path_times> measure_paths();

}  // namespace imbrex
