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

// Ended frames need no action: pieces are reported instead.
constexpr auto ended = [](const auto&, std::size_t) {};

}  // namespace

std::uint32_t pe_progress::item_begin(const trace::record& r, std::optional<std::uint64_t> ready) {
  const std::uint64_t time = r.time;
  stop(time);
  // If the message was ready, the time to fetch it belongs to the item, since the PE was not idle. In
  // simulated time it always does, as an idle PE is charged the same.
  const bool was_there = last_piece_ != dataflow::none && ready && *ready <= item_ended_;
  item_begun_ = was_there ? item_ended_ : in_simulated_time_ && ready ? *ready : time;
  follows_ = last_piece_;
  delay_ = last_piece_ == dataflow::none ? 0 : time - item_ended_;
  since_ = item_begun_;
  current_ = maker_.add_piece(pe_, since_, true);
  does_.item_begin(r, ended).more.piece = current_;
  unknown_item_ = ready ? dataflow::none : current_;
  return current_;
}

void pe_progress::item_end(std::uint64_t time) {
  if (!does_.is_busy()) return;
  close(time);
  if (unknown_item_ != dataflow::none && follows_ != dataflow::none)
    maker_.follow(follows_, unknown_item_, delay_);
  unknown_item_ = dataflow::none;
  worked_ += time - item_begun_;
  item_ended_ = time;
  does_.item_end(ended);
  current_ = before_ = dataflow::none;
  maker_.item_ended(pe_);
}

void pe_progress::stop(std::uint64_t time) { item_end(time); }

// Adds the time since the last change to the current piece.
void pe_progress::close(std::uint64_t time) {
  const auto of = current_ != dataflow::none ? current_ : before_;
  maker_.flow.pieces[of].length += time - since_;
  last_piece_ = of;
  since_ = time;
  if (just_resumed_) maker_.follow(before_, current_);  // the received value is unknown
  just_resumed_ = false;
}

void pe_progress::ensure_piece() {
  if (current_ != dataflow::none) return;
  current_ = maker_.add_piece(pe_, since_, false);
  maker_.follow(before_, current_);
  does_.innermost().more.piece = current_;
}

std::uint32_t pe_progress::running() {
  if (does_.is_busy()) ensure_piece();
  return current_;
}

// Begins a piece for a frame nested in the running one.
void pe_progress::begin_piece(activity::frame& frame, std::uint64_t time) {
  close(time);
  before_ = current_ != dataflow::none ? current_ : before_;
  current_ = maker_.add_piece(pe_, time, false);
  frame.more.piece = current_;
}

// Continues the innermost frame after others have ended.
void pe_progress::go_on(std::uint64_t time) {
  close(time);
  before_ = does_.innermost().more.piece;
  current_ = dataflow::none;
}

void pe_progress::turn_begin(const trace::record& r) {
  activity::frame* const turn = does_.turn_begin(r);
  if (turn == nullptr) return;
  begin_piece(*turn, r.time);
  maker_.follow(before_, current_);
}

void pe_progress::turn_end(std::uint64_t time) {
  if (does_.turn_end(ended)) go_on(time);
}

void pe_progress::suspended(const trace::record& r) {
  if (!does_.is_busy()) return;
  ensure_piece();
  waiting_[{coroutine_of(r), r.detail, r.a}].push_back({current_, r.time, idle(r.time)});
  does_.suspended(r, ended);
  go_on(r.time);
}

void pe_progress::resumed(const trace::record& r) {
  if (!does_.is_busy()) return;
  const auto waited = take({coroutine_of(r), r.detail, r.a});
  activity::frame* const coroutine = does_.resumed(r);
  if (coroutine == nullptr) return;
  begin_piece(*coroutine, r.time);
  if (waited) maker_.follow(waited->piece, current_);
  if (by_mailbox(r)) {
    just_resumed_ = true;
    return;
  }
  maker_.follow(before_, current_);
  if (unknown_item_ == dataflow::none || !waited) return;
  follows_ = waited->piece;
  delay_ = by_timer(r) ? r.a : idle(item_begun_) - std::min(waited->idle, idle(item_begun_));
  if (in_simulated_time_ && by_timer(r)) {
    const auto could_begin = std::max(item_ended_, waited->since + r.a);
    maker_.flow.pieces[unknown_item_].length += item_begun_ - std::min(item_begun_, could_begin);
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
  if (!does_.is_busy()) return dataflow::none;
  if (!just_resumed_) cut(time);
  just_resumed_ = false;
  ++maker_.flow.pieces[current_].needs;
  return current_;
}

std::uint32_t pe_progress::cut(std::uint64_t time) {
  if (!does_.is_busy()) return dataflow::none;
  ensure_piece();
  const auto before = current_;
  close(time);
  current_ = maker_.add_piece(pe_, time, false);
  maker_.follow(before, current_);
  does_.innermost().more.piece = current_;
  return before;
}

std::uint32_t pe_progress::at(std::uint64_t time, dataflow::event_kind kind, std::uint32_t what) {
  if (running() == dataflow::none) return dataflow::none;
  maker_.add_event(current_, time - since_, kind, what);
  return current_;
}

}  // namespace imbrex::tools
