// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include <imbrex/tools/trace/overlap.hpp>
#include <imbrex/tools/trace/report.hpp>

namespace imbrex::tools {

/// The computation of a process: the time in which at least one of its PEs computes. Changes arrive in the
/// order of time, except the end of a PE's computation before dropped records. That end counts only as long
/// as the process computed at all.
class process_account {
 public:
  process_account(std::size_t kept, std::uint64_t start) : overlap_(kept), since_(start) {}

  /// One PE of the process begins or ends to compute.
  void pe_computes(std::uint64_t time, bool begins);
  /// A message from another process begins after its time in flight.
  void message(std::uint64_t time, interval on_its_way);
  overlap_report finish(std::uint64_t end);

 private:
  void advance(std::uint64_t time, pe_state state);

  timeline_overlap overlap_;
  std::uint64_t since_;
  std::uint64_t latest_ = 0;
  std::uint64_t computation_ = 0;
  int computing_ = 0;
};

/// Changes of processes while a window of a trace is read. PEs add them in any order, and they are applied in
/// the order of time.
class process_changes {
 public:
  /// Applies all earlier changes to the processes. Later changes are less than 2^32 ns after `start`.
  void begin_window(std::uint64_t start, std::deque<process_account>& processes);

  void pe_computes(std::uint64_t time, std::uint32_t process, bool begins) {
    add(time, process << 1U | (begins ? 1U : 0U));
  }
  void message(std::uint64_t time, std::uint32_t process, interval on_its_way) {
    add(time, static_cast<std::uint32_t>(messages_.size()) | is_message);
    messages_.emplace_back(process, on_its_way);
  }

 private:
  static constexpr std::uint32_t is_message = 1U << 31U;

  void add(std::uint64_t time, std::uint32_t change) {
    if (time >= start_)
      changes_.push_back((time - start_) << 32U | change);
    else
      late_.emplace_back(time, change);
  }
  void take(std::uint64_t time, std::uint32_t change, std::deque<process_account>& processes);

  std::uint64_t start_ = 0;
  std::vector<std::uint64_t> changes_;  // time since the start, and a process or an index in `messages_`
  std::vector<std::uint64_t> room_;     // buffer for sorting them
  std::vector<std::pair<std::uint64_t, std::uint32_t>> late_;  // changes before the window, which are few
  std::vector<std::pair<std::uint32_t, interval>> messages_;   // receiving process
};

}  // namespace imbrex::tools
