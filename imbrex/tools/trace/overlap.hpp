// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/tools/trace/interval_set.hpp>

namespace imbrex::tools {

/// The state of a PE; exactly one at any time.
enum class pe_state : std::uint8_t {
  program,       ///< an entry method, or a resumed coroutine of the program
  runtime,       ///< an item of the runtime
  unrecorded,    ///< recording was off, or records are missing
  before_first,  ///< idle before its first item
  after_last,    ///< idle after its last item
  idle_device,   ///< idle, and a coroutine waits for a device
  idle_timer,    ///< idle, and a coroutine waits for a timer, none for a device
  idle_other,    ///< idle, and its coroutines wait for messages, or there are none
};
inline constexpr std::size_t pe_states = 8;

/// Divides the union of intervals by the states of a timeline, for two sets of intervals. The timeline grows
/// at its end; intervals arrive late, and end before its end. So the latest parts of both are kept until no
/// interval can reach them. The result is exact, unless an interval reaches back over more than `kept`
/// changes of state; then it is cut and counted.
class timeline_overlap {
 public:
  explicit timeline_overlap(std::size_t kept) : kept_(kept), roomy_(std::min(2 * kept, few)) {}

  /// Extends the timeline to `time`, in `state`. No later interval or relabelling begins before `reach`.
  void extend(std::uint64_t time, pe_state state, std::uint64_t reach = 0) {
    if (!segments_.empty() && segments_.back().state == state) {
      segments_.back().end = time;
      return;
    }
    if (segments_.size() >= roomy_) make_room(reach);
    segments_.emplace_back(time, state);
  }
  void add(interval added, std::size_t set = 0) {
    interval_set& to = intervals_[set];
    if (to.pieces().size() >= 2 * kept_) settle_pieces(to);
    to.add(added);
  }
  /// Prefetches the memory that changes next.
  void fetch() const {
    __builtin_prefetch(segments_.data() + segments_.size(), 1);
    for (const interval_set& set : intervals_) set.fetch();
  }
  /// Changes idle states since `time` to `after_last`.
  void relabel_idle_since(std::uint64_t time);
  /// Changes the state "idle, waiting for a device" since `time` to `blocked`.
  void relabel_blocked_since(std::uint64_t time);
  /// Adds the parts still kept to the sums.
  void finish() { settle(~std::uint64_t{0}); }

  /// Index in `times` of one more state: idle until the device had completed the awaited work.
  static constexpr std::size_t blocked = pe_states;
  using state_times = std::array<std::uint64_t, pe_states + 1>;

  /// The time in each state within the union of a set; complete after `finish`.
  const state_times& times(std::size_t set = 0) const { return times_[set]; }
  /// The length of the first set's union.
  std::uint64_t length() const;
  std::uint64_t cut(std::size_t set = 0) const { return intervals_[set].cut(); }
  std::uint64_t cut_time(std::size_t set = 0) const { return intervals_[set].cut_time(); }

 private:
  struct segment {
    std::uint64_t end;
    pe_state state;
  };
  std::vector<segment>::iterator first_since(std::uint64_t time);
  void make_room(std::uint64_t reach);
  void settle_pieces(const interval_set& of);
  void settle(std::uint64_t horizon);
  void settle(std::size_t set, std::uint64_t horizon);

  static constexpr std::size_t few = 32;

  std::size_t kept_;
  std::size_t roomy_;  // number of segments below which none is settled
  std::vector<segment> segments_;
  std::array<interval_set, 2> intervals_;
  std::array<state_times, 2> times_{};
};

/// The lengths of two unions of intervals, and of their intersection. Intervals arrive roughly in the order
/// of their ends; limits as in `timeline_overlap`.
class union_overlap {
 public:
  explicit union_overlap(std::size_t kept) : kept_(kept) {}

  void add_first(interval added) { add(first_, added); }
  void add_second(interval added) { add(second_, added); }
  void finish() { settle(~std::uint64_t{0}); }

  std::uint64_t first() const { return first_length_; }
  std::uint64_t second() const { return second_length_; }
  std::uint64_t both() const { return both_; }
  std::uint64_t cut() const { return first_.cut() + second_.cut(); }
  std::uint64_t cut_time() const { return first_.cut_time() + second_.cut_time(); }

 private:
  void add(interval_set& to, interval added);
  void settle(std::uint64_t horizon);

  std::size_t kept_;
  interval_set first_;
  interval_set second_;
  std::uint64_t first_length_ = 0;
  std::uint64_t second_length_ = 0;
  std::uint64_t both_ = 0;
};

}  // namespace imbrex::tools
