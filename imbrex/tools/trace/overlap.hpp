// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/tools/trace/interval_set.hpp>

namespace imbrex::tools {

/// What a PE does at a moment; always exactly one of these.
enum class pe_state : std::uint8_t {
  program,       ///< an entry method, or a coroutine of the program that goes on
  runtime,       ///< an item of the runtime
  unrecorded,    ///< recording was off, or records are missing
  before_first,  ///< idle, and has not run an item yet
  after_last,    ///< idle, and runs no item any more
  idle_device,   ///< idle, and a coroutine waits for a device
  idle_timer,    ///< idle, and a coroutine waits for a timer, none for a device
  idle_other,    ///< idle, and its coroutines wait for messages, or there are none
};
inline constexpr std::size_t pe_states = 8;

/// How much of the union of some intervals falls into which state of a timeline, for two sets of them. The
/// timeline grows at its end; the intervals, which end before its end, come late. So the latest parts of both
/// are kept until no interval can reach them: exact unless one reaches back over more than `kept` changes of
/// state, and then it is cut and counted.
class timeline_overlap {
 public:
  explicit timeline_overlap(std::size_t kept) : kept_(kept), roomy_(std::min(2 * kept, few)) {}

  /// The timeline has been in `state` from its end until `time`, which is its end now. No interval that comes
  /// later begins before `reach`, nor is anything before it relabelled.
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
  /// Asks for what changes soon.
  void fetch() const {
    __builtin_prefetch(segments_.data() + segments_.size(), 1);
    for (const interval_set& set : intervals_) set.fetch();
  }
  /// What was idle since then counts as `after_last`.
  void relabel_idle_since(std::uint64_t time);
  /// What was idle since then and waited for a device counts as `blocked`.
  void relabel_blocked_since(std::uint64_t time);
  /// Counts what has been kept.
  void finish() { settle(~std::uint64_t{0}); }

  /// The place in `times` of one more state: idle until the device had done what a coroutine waited for.
  static constexpr std::size_t blocked = pe_states;
  using state_times = std::array<std::uint64_t, pe_states + 1>;

  /// Of the union of a set, the time in each state; complete after `finish`.
  const state_times& times(std::size_t set = 0) const { return times_[set]; }
  /// Of the first set.
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
  std::size_t roomy_;  // so many segments are no reason yet to settle some
  std::vector<segment> segments_;
  std::array<interval_set, 2> intervals_;
  std::array<state_times, 2> times_{};
};

/// The lengths of two unions of intervals and of what they have in common, for intervals that come in about
/// the order of their ends; otherwise as `timeline_overlap`.
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
