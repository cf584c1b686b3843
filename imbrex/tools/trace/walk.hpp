// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/tools/trace/message_account.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// An activity of a PE: an item, a turn or coroutine inside it, or idle time.
struct walked_frame {
  enum class kind : std::uint8_t { idle, parked, item, turn, coroutine };
  kind what = kind::idle;
  bool program = false;     ///< `group` and `element` are known
  std::uint16_t entry = 0;  ///< entry of an item, turn or coroutine
  std::uint32_t group = 0;
  std::uint64_t element = 0;
};

/// Receives the contents of a trace for drawing; on each track in the order of time. Frames of a PE are
/// properly nested, and each begun frame ends. A PE has no frame while nothing is recorded.
class walk_observer {
 public:
  walk_observer() = default;
  walk_observer(const walk_observer&) = delete;
  walk_observer& operator=(const walk_observer&) = delete;
  virtual ~walk_observer() = default;

  /// First call: the time of the first record.
  virtual void start(std::uint64_t time) = 0;
  /// `by`: the message that begins the frame, or null.
  virtual void begin(std::uint32_t track, std::uint64_t time, const walked_frame& frame,
                     const message_account::begun* by) = 0;
  virtual void end(std::uint32_t track, std::uint64_t time, const walked_frame& frame) = 0;
  /// A PE or a communication thread has sent a message. `number`: `message_in_flight::number`.
  virtual void sent(std::uint32_t track, const trace::record& r, std::uint32_t number) = 0;
  /// A message is sent or packed now, but its item has already begun: clocks differ, or stand still.
  virtual void begun_early(std::uint64_t time, const message_account::begun& known) = 0;
  /// Other records: operations of devices; marks of PEs and communication threads; `off`, `on` and `dropped`
  /// of PEs.
  virtual void other(std::uint32_t track, const trace::record& r) = 0;
  /// Last call: the time of the last record.
  virtual void finish(std::uint64_t time) = 0;
};

/// Reads a trace to its end, once, and calls `to`. Memory: per track, and per message in flight.
void walk(trace::reader& in, walk_observer& to);

}  // namespace imbrex::tools
