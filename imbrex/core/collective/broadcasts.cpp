// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collective/broadcasts.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/pe/pending.hpp>

namespace imbrex::detail {

namespace {

/// Sent by a PE to its parent: the whole subtree is done with a broadcast.
struct broadcast_done : message {
  std::uint64_t number = 0;
  std::uint64_t elements = 0;

  static inline message_type type_record = runtime_message_type<broadcast_done>();
  void serialize(auto& ar) { ar(number, elements); }
  void deliver() {
    auto* const part = array_at(processor::here(), collection);
    if (part == nullptr) return processor::here().hold(*this);
    const message_guard guard(*this);
    part->broadcasts().done(number, elements);
  }
};

}  // namespace

broadcast_station::~broadcast_station() {
  for (auto& [number, e] : log_) e.message->type->destroy(*e.message);
  for (auto& [number, b] : early_) b->type->destroy(*b);
}

void broadcast_station::receive(broadcast_message& b) {
  if (part_.is_closed()) {
    const message_guard guard(b);
    if (b.number == 0) fail_caller(b);
    return;
  }
  if (b.number == 0) {
    b.number = ++last_number_;
    b.pruned = all_done_;
  }
  if (!b.was_early) pass_down(b);
  if (b.number == delivered_ + 1) return deliver(b);
  b.was_early = true;
  early_[b.number] = &b;
}

void broadcast_station::pass_down(broadcast_message& b) {
  for (const int child : part_.tree().children) part_.pe().dispatch(b.copy(), child);
}

void broadcast_station::deliver(broadcast_message& b) {
  const std::uint64_t news = b.pruned;
  auto& e = log_[b.number] = {&b, 0};
  e.elements = b.deliver_to_locals(part_);
  ++delivered_;
  report();
  forget_until(news);
  deliver_next_later();
}

void broadcast_station::deliver_next_later() {
  const auto next = early_.find(delivered_ + 1);
  if (next == early_.end()) return;
  broadcast_message& b = *next->second;
  early_.erase(next);
  part_.pe().announce(b, part_.pe().pe());
  part_.pe().push(b);
}

void broadcast_station::report() {
  std::uint64_t safe = delivered_;
  if (!on_the_way_.empty()) safe = std::min(safe, on_the_way_.begin()->first);
  while (reported_ < safe) {
    ++reported_;
    std::uint64_t elements = log_.at(reported_).elements;
    if (const auto late = late_.find(reported_); late != late_.end()) {
      elements += late->second;
      late_.erase(late);
    }
    done(reported_, elements);
  }
  if (part_.pe().num_pes() == 1 || !part_.can_migrate()) forget_until(reported_);
}

void broadcast_station::done(std::uint64_t number, std::uint64_t elements) {
  if (part_.is_closed()) return;
  auto& t = tallies_[number];
  t.elements += elements;
  tell_part(&tallies_, number);
  const int reporters = part_.tree().reporters();
  if (++t.reports < reporters) return;
  tell_complete(&tallies_, number);
  if (!part_.is_root()) {
    auto& m = make_message<broadcast_done>();
    m.collection = part_.id();
    m.number = number;
    m.elements = t.elements;
    tallies_.erase(number);
    return part_.pe().dispatch(m, part_.tree().parent);
  }
  log_.at(number).message->all_delivered(part_, t.elements);
  for (auto first = tallies_.begin();
       first != tallies_.end() && first->first == all_done_ + 1 && first->second.reports == reporters;
       first = tallies_.begin()) {
    all_done_ = first->first;
    tallies_.erase(first);
  }
  forget_until(all_done_);
}

void broadcast_station::forget_until(std::uint64_t number) {
  // The root keeps broadcasts until all PEs have reported them: it needs the entry at the last report.
  if (part_.is_root()) number = std::min(number, all_done_);
  while (!log_.empty() && log_.begin()->first <= number && log_.begin()->first <= reported_) {
    message* m = log_.begin()->second.message;
    log_.erase(log_.begin());
    m->type->destroy(*m);
  }
}

void broadcast_station::element_leaves(std::uint64_t last_broadcast) { ++on_the_way_[last_broadcast]; }

std::uint64_t broadcast_station::element_arrives(chare_header& element) {
  while (element.broadcasts < delivered_) {
    ++element.broadcasts;
    log_.at(element.broadcasts).message->deliver_late(part_, element);
  }
  return element.broadcasts;
}

void broadcast_station::confirmed(std::uint64_t left_with, std::uint64_t caught_up_to) {
  if (part_.is_closed()) return;
  for (std::uint64_t n = left_with + 1; n <= caught_up_to; ++n) late_[n] += 1;
  const auto at = on_the_way_.find(left_with);
  if (--at->second == 0) on_the_way_.erase(at);
  report();
}

void broadcast_station::fail_caller(const broadcast_message& b) {
  if (b.reply) send_failure(b.origin, b.reply, "a call of all elements", array_has_ended());
}

void broadcast_station::close() {
  for (const auto& [number, b] : std::exchange(early_, {})) b->type->destroy(*b);
  if (!part_.is_root()) return;
  for (const auto& [number, e] : log_) {
    const auto reports = tallies_.find(number);
    const bool is_done = number <= all_done_ ||
                         (reports != tallies_.end() && reports->second.reports == part_.tree().reporters());
    if (!is_done) fail_caller(*e.message);
  }
}

}  // namespace imbrex::detail
