// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/replay/pe_progress.hpp>

#include <algorithm>

namespace imbrex::tools {

namespace {

bool by_mailbox(const trace::record& r) {
  return r.detail == static_cast<std::uint8_t>(trace::wait_cause::mailbox);
}

bool by_timer(const trace::record& r) {
  return r.detail == static_cast<std::uint8_t>(trace::wait_cause::timer);
}

}  // namespace

std::uint32_t pe_progress::item_begin(std::uint64_t time, std::optional<std::uint64_t> ready) {
  stop(time);
  // The time to fetch an item that was there belongs to it: the PE was not idle. In simulated time it always does, as that
  // charges an idle PE alike.
  const bool was_there = last_piece_ != dataflow::none && ready && *ready <= item_ended_;
  item_begun_ = was_there ? item_ended_ : in_simulated_time_ && ready ? *ready : time;
  follows_ = last_piece_;
  delay_ = last_piece_ == dataflow::none ? 0 : time - item_ended_;
  is_busy_ = true;
  since_ = item_begun_;
  current_ = made_.add_piece(pe_, since_, true);
  stack_.push_back({frame_kind::item, {}, current_});
  unknown_item_ = ready ? dataflow::none : current_;
  return current_;
}

void pe_progress::item_end(std::uint64_t time) {
  if (!is_busy_) return;
  close(time);
  stack_.clear();
  if (unknown_item_ != dataflow::none && follows_ != dataflow::none)
    made_.follow(follows_, unknown_item_, delay_);
  unknown_item_ = dataflow::none;
  worked_ += time - item_begun_;
  item_ended_ = time;
  is_busy_ = false;
  current_ = before_ = dataflow::none;
  made_.item_ended(pe_);
}

void pe_progress::stop(std::uint64_t time) { item_end(time); }

// Accounts for the time since the last change.
void pe_progress::close(std::uint64_t time) {
  const auto of = current_ != dataflow::none ? current_ : before_;
  made_.flow.pieces[of].length += time - since_;
  last_piece_ = of;
  since_ = time;
  if (just_resumed_) made_.follow(before_, current_);  // nobody knows what came
  just_resumed_ = false;
}

void pe_progress::ensure_piece() {
  if (current_ != dataflow::none) return;
  current_ = made_.add_piece(pe_, since_, false);
  made_.follow(before_, current_);
  stack_.back().piece = current_;
}

std::uint32_t pe_progress::running() {
  if (is_busy_) ensure_piece();
  return current_;
}

void pe_progress::open(std::uint64_t time, frame_kind kind, coroutine who) {
  close(time);
  before_ = stack_.back().piece;
  current_ = made_.add_piece(pe_, time, false);
  stack_.push_back({kind, who, current_});
}

// Goes on with what stands at that depth.
void pe_progress::leave_until(std::size_t depth, std::uint64_t time) {
  close(time);
  stack_.resize(depth + 1);
  before_ = stack_.back().piece;
  current_ = dataflow::none;
}

void pe_progress::turn_begin(const trace::record& r) {
  if (!is_busy_) return;
  open(r.time, frame_kind::turn, coroutine_of(r));
  made_.follow(before_, current_);
}

void pe_progress::turn_end(std::uint64_t time) {
  for (std::size_t depth = stack_.size(); depth-- > 1;)
    if (stack_[depth].kind == frame_kind::turn) return leave_until(depth - 1, time);
}

void pe_progress::suspended(const trace::record& r) {
  if (!is_busy_) return;
  ensure_piece();
  waiting_[{coroutine_of(r), r.detail, r.a}].push_back({current_, r.time, idle(r.time)});
  for (std::size_t depth = stack_.size(); depth-- > 1;) {
    const frame& one = stack_[depth];
    if (one.kind == frame_kind::coroutine && one.who == coroutine_of(r))
      return leave_until(depth - 1, r.time);
  }
  leave_until(stack_.size() - 1, r.time);
}

void pe_progress::resumed(const trace::record& r) {
  if (!is_busy_) return;
  const auto waited = take({coroutine_of(r), r.detail, r.a});
  open(r.time, frame_kind::coroutine, coroutine_of(r));
  if (waited) made_.follow(waited->piece, current_);
  if (by_mailbox(r)) {
    just_resumed_ = true;
    return;
  }
  made_.follow(before_, current_);
  if (unknown_item_ == dataflow::none || !waited) return;
  follows_ = waited->piece;
  delay_ = by_timer(r) ? r.a : idle(item_begun_) - std::min(waited->idle, idle(item_begun_));
  if (in_simulated_time_ && by_timer(r)) {
    const auto could_begin = std::max(item_ended_, waited->since + r.a);
    made_.flow.pieces[unknown_item_].length += item_begun_ - std::min(item_begun_, could_begin);
  }
}

void pe_progress::abandoned(const trace::record& r) {
  const auto from = waiting_.lower_bound({coroutine_of(r), r.detail, 0});
  if (from == waiting_.end() || std::get<0>(from->first) != coroutine_of(r) ||
      std::get<1>(from->first) != r.detail)
    return;
  take(from->first);
}

std::optional<pe_progress::waiting> pe_progress::take(const wait& one) {
  const auto found = waiting_.find(one);
  if (found == waiting_.end()) return std::nullopt;
  const waiting first = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) waiting_.erase(found);
  return first;
}

std::uint32_t pe_progress::needs_value(std::uint64_t time) {
  if (!is_busy_) return dataflow::none;
  if (!just_resumed_) cut(time);
  just_resumed_ = false;
  ++made_.flow.pieces[current_].needs;
  return current_;
}

std::uint32_t pe_progress::cut(std::uint64_t time) {
  if (!is_busy_) return dataflow::none;
  ensure_piece();
  const auto ended = current_;
  close(time);
  current_ = made_.add_piece(pe_, time, false);
  made_.follow(ended, current_);
  stack_.back().piece = current_;
  return ended;
}

std::uint32_t pe_progress::at(std::uint64_t time, dataflow::event_kind kind, std::uint32_t what) {
  if (running() == dataflow::none) return dataflow::none;
  made_.add_event(current_, time - since_, kind, what);
  return current_;
}

}  // namespace imbrex::tools
