// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/tools/trace/message_account.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// What a PE does: it runs an item, in that perhaps turns and coroutines, or it is idle.
struct walked_frame {
  enum class kind : std::uint8_t { idle, parked, item, turn, coroutine };
  kind what = kind::idle;
  bool program = false;     ///< its element is known
  std::uint16_t entry = 0;  ///< of those that run
  std::uint32_t group = 0;
  std::uint64_t element = 0;
};

/// Is told what a trace says, to draw it elsewhere: on each track in the order of time. Frames of a PE lie in
/// each other, and all that begin end. While nothing is recorded a PE has none.
class walk_observer {
 public:
  walk_observer() = default;
  walk_observer(const walk_observer&) = delete;
  walk_observer& operator=(const walk_observer&) = delete;
  virtual ~walk_observer() = default;

  /// Comes first: the time of the first record.
  virtual void start(std::uint64_t time) = 0;
  /// `by` is the message that it begins with, or null.
  virtual void begin(std::uint32_t track, std::uint64_t time, const walked_frame& frame,
                     const message_account::begun* by) = 0;
  virtual void end(std::uint32_t track, std::uint64_t time, const walked_frame& frame) = 0;
  /// By a PE or a communication thread. `number` is that of `message_in_flight`.
  virtual void sent(std::uint32_t track, const trace::record& r, std::uint32_t number) = 0;
  /// A message whose item has begun before it was sent or packed, which is now: by clocks that do not agree,
  /// or stand still.
  virtual void begun_early(std::uint64_t time, const message_account::begun& known) = 0;
  /// Operations of devices; of PEs and communication threads what the user marks; of PEs `off`, `on` and
  /// `dropped`.
  virtual void other(std::uint32_t track, const trace::record& r) = 0;
  /// Comes last: the time of the last record.
  virtual void finish(std::uint64_t time) = 0;
};

/// Reads a trace to its end, once, and tells of it. Memory: for each track, and for each message on its way.
void walk(trace::reader& in, walk_observer& to);

}  // namespace imbrex::tools
