// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/process_account.hpp>

#include <algorithm>

#include <imbrex/trace/upper_half_order.hpp>

namespace imbrex::tools {

void process_account::advance(std::uint64_t time, pe_state state) {
  if (time <= since_) return;
  if (state == pe_state::program) computation_ += time - since_;
  overlap_.extend(time, state);
  since_ = time;
}

void process_account::pe_computes(std::uint64_t time, bool begins) {
  latest_ = std::max(latest_, time);
  if (begins) {
    if (computing_++ == 0) advance(time, pe_state::idle_other);
  } else {
    if (--computing_ == 0) advance(latest_, pe_state::program);
  }
}

void process_account::message(std::uint64_t time, interval on_its_way) {
  latest_ = std::max(latest_, time);
  advance(time, computing_ > 0 ? pe_state::program : pe_state::idle_other);
  overlap_.add(on_its_way);
}

overlap_report process_account::finish(std::uint64_t end) {
  advance(end, computing_ > 0 ? pe_state::program : pe_state::idle_other);
  overlap_.finish();
  return {overlap_.length(), computation_, overlap_.times()[0], overlap_.cut(), overlap_.cut_time()};
}

// At the end of a window all its changes are known. The exception is the end of a PE's activity before
// dropped records, in files without its time (`off`).
void process_changes::begin_window(std::uint64_t start, std::deque<process_account>& processes) {
  std::sort(late_.begin(), late_.end());
  for (const auto& [time, change] : late_) take(time, change, processes);
  trace::sort_by_upper_half(changes_, room_);  // changes at the same time may have any order
  for (const std::uint64_t next : changes_)
    take(start_ + (next >> 32U), static_cast<std::uint32_t>(next), processes);
  late_.clear();
  changes_.clear();
  messages_.clear();
  start_ = start;
}

void process_changes::take(std::uint64_t time, std::uint32_t change, std::deque<process_account>& processes) {
  if ((change & is_message) == 0) return processes[change >> 1U].pe_computes(time, (change & 1U) != 0);
  const auto& [process, on_its_way] = messages_[change ^ is_message];
  processes[process].message(time, on_its_way);
}

}  // namespace imbrex::tools
