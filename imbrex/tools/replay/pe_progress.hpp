// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include <imbrex/tools/replay/dataflow_maker.hpp>
#include <imbrex/tools/trace/pe_activity.hpp>
#include <imbrex/trace/record.hpp>

namespace imbrex::tools {

/// Divides the work of a PE into pieces. The first piece of an item needs its message. A resumed coroutine
/// begins a piece that needs the coroutine's last piece and the event that it awaited. A value received
/// without waiting divides the current piece.
class pe_progress {
 public:
  pe_progress(dataflow_maker& maker, std::uint32_t pe, bool in_simulated_time)
      : maker_(maker), pe_(pe), in_simulated_time_(in_simulated_time) {}

  /// Returns the item's first piece. `ready`: the time at which its message was ready, if known.
  std::uint32_t item_begin(const trace::record& r, std::optional<std::uint64_t> ready);
  void item_end(std::uint64_t time);
  void turn_begin(const trace::record& r);
  void turn_end(std::uint64_t time);
  void suspended(const trace::record& r);
  void resumed(const trace::record& r);
  void abandoned(const trace::record& r);
  /// The running frame needs a value of a mailbox. Returns the piece that continues with it, or none.
  std::uint32_t needs_value(std::uint64_t time);
  /// Divides the running piece. Returns the ended part, or none.
  std::uint32_t cut(std::uint64_t time);
  /// Adds an event to the running piece. Returns the piece, or none if nothing runs.
  std::uint32_t at(std::uint64_t time, dataflow::event_kind kind, std::uint32_t what);
  /// The state is unknown from here on.
  void stop(std::uint64_t time);

  /// The running piece, or none.
  std::uint32_t running();
  /// The time for which it has run items.
  std::uint64_t worked(std::uint64_t time) const {
    return worked_ + (does_.is_busy() ? time - item_begun_ : 0);
  }

 private:
  using coroutine = std::tuple<std::uint16_t, std::uint32_t, std::uint64_t>;  // entry, collection, element
  using wait = std::tuple<coroutine, std::uint8_t, std::uint64_t>;            // coroutine, cause, its number

  struct last_piece {
    std::uint32_t piece = dataflow::none;  // last piece of the frame
  };
  using activity = pe_activity<last_piece>;
  struct waiting {
    std::uint32_t piece;
    std::uint64_t since;
    std::uint64_t idle;  // idle time of the PE before the wait
  };

  static coroutine coroutine_of(const trace::record& r) { return {r.entry, r.group, r.b}; }
  std::uint64_t idle(std::uint64_t time) const { return time - maker_.start - worked(time); }
  void begin_piece(activity::frame& frame, std::uint64_t time);
  void go_on(std::uint64_t time);
  void close(std::uint64_t time);
  void ensure_piece();
  std::optional<waiting> take(const wait& one);

  dataflow_maker& maker_;
  const std::uint32_t pe_;
  const bool in_simulated_time_;
  activity does_;
  std::map<wait, std::deque<waiting>> waiting_;
  std::uint32_t current_ = dataflow::none;  // `none` until the running frame does something
  std::uint32_t before_ = dataflow::none;   // predecessor of the current piece
  std::uint64_t since_ = 0;
  bool just_resumed_ = false;  // resumed by a mailbox: the next received value is the awaited one
  std::uint64_t item_begun_ = 0;
  std::uint64_t item_ended_ = 0;
  std::uint64_t worked_ = 0;

  // An item without a known message follows the coroutine that it resumes, or else the item before.
  std::uint32_t unknown_item_ = dataflow::none;
  std::uint32_t follows_ = dataflow::none;
  std::uint64_t delay_ = 0;
  std::uint32_t last_piece_ = dataflow::none;
};

}  // namespace imbrex::tools
