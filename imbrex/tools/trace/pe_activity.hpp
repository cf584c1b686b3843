// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/trace/record.hpp>

namespace imbrex::tools {

/// What a frame of a PE is.
enum class frame_kind : std::uint8_t { item, turn, coroutine };

/// Something that runs on a PE: an item of its queue, in that perhaps the turns of elements, and coroutines
/// that go on. `More` is what the user of `pe_activity` keeps with it.
template <class More>
struct activity_frame {
  std::uint64_t begun = 0;
  std::uint64_t element = 0;  ///< if `program`, as `group`: the element of the collection
  std::uint32_t group = 0;    ///< the collection
  std::uint16_t entry = 0;    ///< as records have it
  frame_kind kind = frame_kind::item;
  bool program = false;  ///< an element of the program runs, and not the runtime
  More more{};
};

/// What a PE does by the records of its track: the one place that knows which of them begins what, and what
/// that ends. Reports, conversions and replays keep one for each PE, and account for what it tells them.
///
/// A PE is idle at first. An item makes it busy; in an item run turns and coroutines, each within the one
/// that was begun before and has not ended. What the end of one leaves unended inside ends with it.
/// `ended(frame, depth)` is called for each frame that ends, the innermost first, while it is still there;
/// `depth` is in how many others it ran.
template <class More>
class pe_activity {
 public:
  using frame = activity_frame<More>;
  enum class mode : std::uint8_t {
    idle,
    parked,
    busy,
    unrecorded,  ///< recording was off, or records are missing, and nothing has come since
  };
  /// No more frames lie in each other. A run never comes near it, damage may.
  static constexpr std::size_t deepest = 64;

  mode now() const { return mode_; }
  bool is_busy() const { return mode_ == mode::busy; }
  /// What runs, the innermost last.
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
  /// False if the PE is not busy, or too much runs already: a turn or coroutine then begins no frame.
  bool may_nest() const { return is_busy() && frames_.size() < deepest; }
  /// The turn, or null if none may begin.
  frame* turn_begin(const trace::record& r) {
    return may_nest() ? &push(r, frame_kind::turn, is_of_program(r)) : nullptr;
  }
  /// Ends the innermost turn; false if there is none.
  template <class Ended>
  bool turn_end(const Ended& ended) {
    return leave_innermost(ended, [](const frame& one) { return one.kind == frame_kind::turn; });
  }
  /// The coroutine that goes on, or null if none may begin.
  frame* resumed(const trace::record& r) {
    return may_nest() ? &push(r, frame_kind::coroutine, true) : nullptr;
  }
  /// Ends that coroutine; false if it does not run, as it was begun by what runs, which goes on.
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
  /// Nothing is known of it from here on.
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
