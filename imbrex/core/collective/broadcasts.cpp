// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collective/broadcasts.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <imbrex/core/pe/part_request.hpp>
#include <imbrex/core/pe/pending.hpp>

namespace imbrex::detail {

namespace {

/// Sent by a PE to its parent: the whole subtree is done with a broadcast.
using broadcast_done = request_to_part<&broadcast_station::done, "broadcast done">;

}  // namespace

struct broadcast_station::state {
  struct entry {
    broadcast_message* message;
    std::uint64_t elements;
  };
  /// The elements that left with a number, and have not arrived.
  struct departures {
    std::uint64_t number;
    std::uint64_t elements;
  };
  struct tally {
    int reports = 0;
    std::uint64_t elements = 0;
  };

  std::map<std::uint64_t, entry> log;                 // delivered broadcasts
  std::map<std::uint64_t, broadcast_message*> early;  // broadcasts received before their predecessors
  std::vector<departures> on_the_way;                 // by number, ascending; seldom more than one
  std::map<std::uint64_t, std::uint64_t> late;  // elements that left and got a broadcast at their new PE
  std::map<std::uint64_t, tally> tallies;       // done counts of this PE and its children, by broadcast
};

broadcast_station::broadcast_station(local_array& part) : part_(part), state_(make_owner<state>()) {
  part.listeners().add(*this);
}

broadcast_station::~broadcast_station() {
  for (auto& [number, e] : state_->log) e.message->type->destroy(*e.message);
  for (auto& [number, b] : state_->early) b->type->destroy(*b);
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
  state_->early[b.number] = &b;
}

void broadcast_station::pass_down(broadcast_message& b) {
  for (const int child : part_.tree().children) part_.pe().dispatch(b.copy(), child);
}

void broadcast_station::deliver(broadcast_message& b) {
  const std::uint64_t news = b.pruned;
  auto& e = state_->log[b.number] = {&b, 0};
  e.elements = b.deliver_to_locals(part_);
  ++delivered_;
  report();
  forget_until(news);
  deliver_next_later();
}

void broadcast_station::deliver_next_later() {
  const auto next = state_->early.find(delivered_ + 1);
  if (next == state_->early.end()) return;
  broadcast_message& b = *next->second;
  state_->early.erase(next);
  part_.pe().announce(b, part_.pe().pe());
  part_.pe().push(b);
}

void broadcast_station::report() {
  std::uint64_t safe = delivered_;
  if (!state_->on_the_way.empty()) safe = std::min(safe, state_->on_the_way.front().number);
  while (reported_ < safe) {
    ++reported_;
    std::uint64_t elements = state_->log.at(reported_).elements;
    if (const auto late = state_->late.find(reported_); late != state_->late.end()) {
      elements += late->second;
      state_->late.erase(late);
    }
    done(reported_, elements);
  }
  if (part_.pe().num_pes() == 1 || !part_.can_migrate()) forget_until(reported_);
}

void broadcast_station::done(std::uint64_t number, std::uint64_t elements) {
  if (part_.is_closed()) return;
  auto& t = state_->tallies[number];
  t.elements += elements;
  tell_part(&state_->tallies, number);
  const int reporters = part_.tree().reporters();
  if (++t.reports < reporters) return;
  tell_complete(&state_->tallies, number);
  if (!part_.is_root()) {
    const std::uint64_t all = t.elements;
    state_->tallies.erase(number);
    return send_request<broadcast_done>(part_, part_.tree().parent, number, all);
  }
  state_->log.at(number).message->all_delivered(part_, t.elements);
  for (auto first = state_->tallies.begin();
       first != state_->tallies.end() && first->first == all_done_ + 1 && first->second.reports == reporters;
       first = state_->tallies.begin()) {
    all_done_ = first->first;
    state_->tallies.erase(first);
  }
  forget_until(all_done_);
}

void broadcast_station::forget_until(std::uint64_t number) {
  // The root keeps broadcasts until all PEs have reported them: it needs the entry at the last report.
  if (part_.is_root()) number = std::min(number, all_done_);
  while (!state_->log.empty() && state_->log.begin()->first <= number &&
         state_->log.begin()->first <= reported_) {
    message* m = state_->log.begin()->second.message;
    state_->log.erase(state_->log.begin());
    m->type->destroy(*m);
  }
}

void broadcast_station::element_left(const chare_header& element) {
  auto at = std::ranges::lower_bound(state_->on_the_way, element.broadcasts, {}, &state::departures::number);
  if (at == state_->on_the_way.end() || at->number != element.broadcasts)
    at = state_->on_the_way.insert(at, {element.broadcasts, 0});
  ++at->elements;
}

void broadcast_station::element_arrived(chare_header& element) {
  while (element.broadcasts < delivered_) {
    ++element.broadcasts;
    state_->log.at(element.broadcasts).message->deliver_late(part_, element);
  }
}

void broadcast_station::confirmed(std::uint64_t left_with, std::uint64_t caught_up_to) {
  if (part_.is_closed()) return;
  for (std::uint64_t n = left_with + 1; n <= caught_up_to; ++n) state_->late[n] += 1;
  const auto at = std::ranges::lower_bound(state_->on_the_way, left_with, {}, &state::departures::number);
  if (--at->elements == 0) state_->on_the_way.erase(at);
  report();
}

void broadcast_station::fail_caller(const broadcast_message& b) {
  if (b.reply) send_failure(b.origin, b.reply, "a call of all elements", array_has_ended());
}

void broadcast_station::array_ends() {
  for (const auto& [number, b] : std::exchange(state_->early, {})) b->type->destroy(*b);
  if (!part_.is_root()) return;
  for (const auto& [number, e] : state_->log) {
    const auto reports = state_->tallies.find(number);
    const bool is_done = number <= all_done_ || (reports != state_->tallies.end() &&
                                                 reports->second.reports == part_.tree().reporters());
    if (!is_done) fail_caller(*e.message);
  }
}

}  // namespace imbrex::detail
