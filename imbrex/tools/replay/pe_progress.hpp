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

/// Cuts what a PE did into pieces. An item's first piece needs its message; a coroutine that goes on makes a
/// piece which needs that coroutine's last one, and what it had waited for; a value that it receives without
/// waiting cuts it in two.
class pe_progress {
 public:
  pe_progress(dataflow_maker& made, std::uint32_t pe, bool in_simulated_time)
      : made_(made), pe_(pe), in_simulated_time_(in_simulated_time) {}

  /// `ready`: when its message was there, if anybody knows; the piece that it begins.
  std::uint32_t item_begin(const trace::record& r, std::optional<std::uint64_t> ready);
  void item_end(std::uint64_t time);
  void turn_begin(const trace::record& r);
  void turn_end(std::uint64_t time);
  void suspended(const trace::record& r);
  void resumed(const trace::record& r);
  void abandoned(const trace::record& r);
  /// What runs cannot go on without a value of some mailbox; the piece that goes on then, or none.
  std::uint32_t needs_value(std::uint64_t time);
  /// Cuts what runs in two; the piece that has ended, or none.
  std::uint32_t cut(std::uint64_t time);
  /// Something that what runs does; the piece, or none if nothing runs.
  std::uint32_t at(std::uint64_t time, dataflow::event_kind kind, std::uint32_t what);
  /// Nothing more is known of what runs.
  void stop(std::uint64_t time);

  /// The piece that runs, or none.
  std::uint32_t running();
  /// How long it has run items.
  std::uint64_t worked(std::uint64_t time) const {
    return worked_ + (does_.is_busy() ? time - item_begun_ : 0);
  }

 private:
  using coroutine = std::tuple<std::uint16_t, std::uint32_t, std::uint64_t>;  // entry, collection, element
  using wait = std::tuple<coroutine, std::uint8_t, std::uint64_t>;            // and the cause, and its number

  struct last_piece {
    std::uint32_t piece = dataflow::none;  // of what runs there
  };
  using activity = pe_activity<last_piece>;
  struct waiting {
    std::uint32_t piece;
    std::uint64_t since;
    std::uint64_t idle;  // of the PE until then
  };

  static coroutine coroutine_of(const trace::record& r) { return {r.entry, r.group, r.b}; }
  std::uint64_t idle(std::uint64_t time) const { return time - made_.start - worked(time); }
  void begin_piece(activity::frame& frame, std::uint64_t time);
  void go_on(std::uint64_t time);
  void close(std::uint64_t time);
  void ensure_piece();
  std::optional<waiting> take(const wait& one);

  dataflow_maker& made_;
  const std::uint32_t pe_;
  const bool in_simulated_time_;
  activity does_;
  std::map<wait, std::deque<waiting>> waiting_;
  std::uint32_t current_ = dataflow::none;  // none while what runs has done nothing that would make a piece
  std::uint32_t before_ = dataflow::none;   // what the current one goes on from
  std::uint64_t since_ = 0;
  bool just_resumed_ = false;  // by a mailbox: the next value received is what it had waited for
  std::uint64_t item_begun_ = 0;
  std::uint64_t item_ended_ = 0;
  std::uint64_t worked_ = 0;

  // An item that no known message began follows what it resumes, or the item before.
  std::uint32_t unknown_item_ = dataflow::none;
  std::uint32_t follows_ = dataflow::none;
  std::uint64_t delay_ = 0;
  std::uint32_t last_piece_ = dataflow::none;
};

}  // namespace imbrex::tools
