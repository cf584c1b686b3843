// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex {

/// Limits in bytes of the buffer for the records of one PE that are not on the disk yet.
inline constexpr std::uint64_t min_trace_buffer = 4'000;
inline constexpr std::uint64_t max_trace_buffer = 100'000'000'000;

/// The memory for records that are not on the disk yet, of each PE and device.
struct trace_buffer_settings {
  std::uint64_t bytes = 8'000'000;  ///< `--trace-buffer SIZE`
  /// `--trace-full wait`; false is `drop`: records without room are omitted, and counted.
  bool waits = false;
};

}  // namespace imbrex
