// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/tools/trace/interval_set.hpp>
#include <imbrex/tools/trace/message_account.hpp>
#include <imbrex/tools/trace/overlap.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// A frame of a PE from its begin to its end, including nested frames.
struct slice {
  interval time;
  std::uint64_t element = 0;  ///< if `program`: the element of the collection `group`
  std::uint32_t group = 0;    ///< if `program`: the collection
  std::uint32_t entry = 0;    ///< index in `run_report::entries`
  std::uint8_t depth = 0;     ///< number of frames around it
  bool program = false;
};

/// Receives an analysis's results while they are found, about in the order of their ends. Tracks are the
/// reader's, times are those of process 0.
class run_observer {
 public:
  run_observer() = default;
  run_observer(const run_observer&) = delete;
  run_observer& operator=(const run_observer&) = delete;
  virtual ~run_observer() = default;

  /// First call: the reader, and the time of the first record.
  virtual void begin(const trace::reader& in, std::uint64_t start) = 0;
  /// A PE was in `state` for `time`. `entry`: the innermost running entry, if any. The stretches of a PE
  /// cover the run without gaps.
  virtual void stretch(std::uint32_t track, interval time, pe_state state, std::uint32_t entry) = 0;
  virtual void ran(std::uint32_t track, const slice& one) = 0;
  /// A message has begun.
  virtual void message(const message_account::begun& known) = 0;
  /// An operation of a device, a mark, or the begin or end of a phase.
  virtual void other(std::uint32_t track, const trace::record& r) = 0;
  /// Last call: the time of the last record.
  virtual void end(std::uint64_t time) = 0;
};

}  // namespace imbrex::tools
