// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/trace/record.hpp>

namespace imbrex::tools {

/// The kinds of frames.
enum class frame_kind : std::uint8_t { item, turn, coroutine };

/// An execution on a PE: an item of its queue, or the turn of an element or a resumed coroutine inside it.
/// `More`: data of the user of `pe_activity`.
template <class More>
struct activity_frame {
  std::uint64_t begun = 0;
  std::uint64_t element = 0;  ///< if `program`: the element of the collection `group`
  std::uint32_t group = 0;    ///< if `program`: the collection
  std::uint16_t entry = 0;    ///< as in records
  frame_kind kind = frame_kind::item;
  bool program = false;  ///< an element of the program runs, not the runtime
  More more{};
};

/// Interprets the records of a PE's track: the only place that knows which record begins or ends what.
/// Reports, conversions and replays keep one for each PE.
///
/// A PE is idle at first. An item makes it busy. Turns and coroutines run inside the item, each nested in the
/// latest open frame. When a frame ends, all frames nested in it end, too. `ended(frame, depth)` is called
/// for each frame that ends, the innermost first, before it is removed. `depth` is the number of frames
/// around it.
template <class More>
class pe_activity {
 public:
  using frame = activity_frame<More>;
  enum class mode : std::uint8_t {
    idle,
    parked,
    busy,
    unrecorded,  ///< recording was off, or records are missing, and no record followed
  };
  /// The largest number of nested frames. Runs stay far below it; damaged traces may exceed it.
  static constexpr std::size_t deepest = 64;

  mode now() const { return mode_; }
  bool is_busy() const { return mode_ == mode::busy; }
  /// The open frames, the innermost last.
  const std::vector<frame>& frames() const { return frames_; }
  frame& innermost() { return frames_.back(); }
  const frame& innermost() const { return frames_.back(); }

  template <class Ended>
  frame& item_begin(const trace::record& r, const Ended& ended) {
    leave(0, ended);
    mode_ = mode::busy;
    return push(r, frame_kind::item, is_of_program(r));
  }
  template <class Ended>
  void item_end(const Ended& ended) {
    leave(0, ended);
    mode_ = mode::idle;
  }
  /// False if the PE is not busy, or too many frames are open: then a turn or coroutine opens no frame.
  bool may_nest() const { return is_busy() && frames_.size() < deepest; }
  /// Opens a turn; null if it may not nest.
  frame* turn_begin(const trace::record& r) {
    return may_nest() ? &push(r, frame_kind::turn, is_of_program(r)) : nullptr;
  }
  /// Ends the innermost turn; false if there is none.
  template <class Ended>
  bool turn_end(const Ended& ended) {
    return leave_innermost(ended, [](const frame& one) { return one.kind == frame_kind::turn; });
  }
  /// Opens a resumed coroutine; null if it may not nest.
  frame* resumed(const trace::record& r) {
    return may_nest() ? &push(r, frame_kind::coroutine, true) : nullptr;
  }
  /// Ends the coroutine. False if it is not the innermost frame: a running frame has started it, and
  /// continues.
  template <class Ended>
  bool suspended(const trace::record& r, const Ended& ended) {
    return leave_innermost(ended, [&](const frame& one) {
      return one.kind == frame_kind::coroutine && one.entry == r.entry && one.group == r.group &&
             one.element == r.b;
    });
  }
  void parked() {
    if (!is_busy()) mode_ = mode::parked;
  }
  void woken() {
    if (!is_busy()) mode_ = mode::idle;
  }
  /// The state is unknown from here on; ends all frames.
  template <class Ended>
  void stop(const Ended& ended) {
    leave(0, ended);
    mode_ = mode::unrecorded;
  }

 private:
  static bool is_of_program(const trace::record& r) {
    return r.detail == static_cast<std::uint8_t>(trace::item_class::entry);
  }
  frame& push(const trace::record& r, frame_kind kind, bool program) {
    return frames_.emplace_back(r.time, r.b, r.group, r.entry, kind, program, More{});
  }
  template <class Ended>
  void leave(std::size_t depth, const Ended& ended) {
    while (frames_.size() > depth) {
      ended(frames_.back(), frames_.size() - 1);
      frames_.pop_back();
    }
  }
  template <class Ended, class Ends>
  bool leave_innermost(const Ended& ended, const Ends& ends) {
    for (std::size_t depth = frames_.size(); depth-- > 0;) {
      if (!ends(frames_[depth])) continue;
      leave(depth, ended);
      return true;
    }
    return false;
  }

  std::vector<frame> frames_;
  mode mode_ = mode::idle;
};

}  // namespace imbrex::tools
