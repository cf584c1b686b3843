// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/tools/trace/interval_set.hpp>
#include <imbrex/tools/trace/message_account.hpp>
#include <imbrex/tools/trace/overlap.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// What ran on a PE from its begin to its end, with what ran inside.
struct slice {
  interval time;
  std::uint64_t element = 0;  ///< if `program`, as `group`: the element of the collection
  std::uint32_t group = 0;    ///< the collection
  std::uint32_t entry = 0;    ///< among `run_report::entries`
  std::uint8_t depth = 0;     ///< in how many others it ran
  bool program = false;
};

/// Is told what an analysis finds, as soon as that is known: what ends, in about the order of its end. Tracks
/// are those of the reader, times those of process 0.
class run_observer {
 public:
  run_observer() = default;
  run_observer(const run_observer&) = delete;
  run_observer& operator=(const run_observer&) = delete;
  virtual ~run_observer() = default;

  /// Comes first: the reader, and the time of the first record.
  virtual void begin(const trace::reader& in, std::uint64_t start) = 0;
  /// A PE was in one state; `entry` is the innermost that ran, if one did. All stretches of a PE make up the
  /// run.
  virtual void stretch(std::uint32_t track, interval time, pe_state state, std::uint32_t entry) = 0;
  virtual void ran(std::uint32_t track, const slice& one) = 0;
  /// A message has begun.
  virtual void message(const message_account::begun& known) = 0;
  /// An operation of a device, a mark, or the begin or end of a phase.
  virtual void other(std::uint32_t track, const trace::record& r) = 0;
  /// Comes last: the time of the last record.
  virtual void end(std::uint64_t time) = 0;
};

}  // namespace imbrex::tools
