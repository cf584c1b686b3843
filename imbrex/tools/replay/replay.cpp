// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/replay/replay.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <queue>

#include <imbrex/tools/trace/interval_set.hpp>

namespace imbrex::tools {
namespace {

std::vector<std::uint64_t> lengths(const std::vector<interval_set>& of) {
  std::vector<std::uint64_t> all;
  for (const interval_set& one : of) {
    std::uint64_t length = 0;
    for (const interval& piece : one.pieces()) length += piece.end - piece.begin;
    all.push_back(length);
  }
  return all;
}

class simulation {
 public:
  simulation(const dataflow& run, const link_model& over) : run_(run), over_(over), pes_(run.pes.size()) {
    for (const auto& piece : run.pieces) needs_.push_back(piece.needs);
    values_.resize(run.boxes.size());
    phase_begun_.resize(run.phases.size());
    phases_.resize(run.phase_names.size());
  }

  replayed result() {
    for (std::uint32_t p = 0; p < run_.pieces.size(); ++p)
      if (needs_[p] == 0) may_begin(p, run_.pieces[p].begun);
    while (!agenda_.empty()) {
      const moment next = agenda_.top();
      agenda_.pop();
      auto& pe = pes_[next.pe];
      if (next.piece == dataflow::none)
        pe.is_busy = false;
      else
        pe.came.push_back(next.piece);
      if (!pe.is_busy) run_next(next.pe, next.time);
    }
    result_.never = ended_first_ +
                    static_cast<std::uint64_t>(std::ranges::count_if(needs_, [](auto n) { return n != 0; }));
    result_.phase_times = lengths(phases_);
    return result_;
  }

 private:
  /// An event: a piece arrives at its PE, or, without a piece, the PE has ended an item.
  struct moment {
    std::uint64_t time;
    std::uint64_t order;  // breaks ties: first added, first handled
    std::uint32_t pe;
    std::uint32_t piece;
    bool operator<(const moment& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  struct pe_state {
    std::deque<std::uint32_t> queue;
    std::vector<std::uint32_t> came;  // arrivals while it was busy; it polls between items
    bool is_busy = false;
    link_entrance entrance;
  };

  void may_begin(std::uint32_t piece, std::uint64_t time) {
    agenda_.push({time, order_++, run_.pieces[piece].pe, piece});
  }

  // Runs the first piece in the queue, and the pieces on the same PE that it releases.
  void run_next(std::uint32_t number, std::uint64_t time) {
    auto& pe = pes_[number];
    pe.queue.insert(pe.queue.end(), pe.came.begin(), pe.came.end());
    pe.came.clear();
    if (pe.queue.empty()) return;
    going_on_.push_back(pe.queue.front());
    pe.queue.pop_front();
    pe.is_busy = true;
    while (!going_on_.empty()) {
      const auto piece = going_on_.back();
      going_on_.pop_back();
      happen(piece, time);
      time += run_.pieces[piece].length;
      if (piece == run_.last) result_.length = time;
      enable_followers(piece, time);
    }
    if (run_.last == dataflow::none) result_.length = std::max(result_.length, time);
    agenda_.push({time, order_++, number, dataflow::none});
  }

  void happen(std::uint32_t piece, std::uint64_t begun) {
    const auto& of = run_.pieces[piece];
    for (std::uint32_t e = of.first_event; e < of.first_event + of.events; ++e) {
      const auto& event = run_.events[e];
      const auto time = begun + event.after;
      if (event.kind == dataflow::event_kind::send)
        send(of.pe, event.what, time);
      else if (event.kind == dataflow::event_kind::phase_begin)
        phase_begun_[event.what] = time;
      else
        end_phase(event.what, time);
    }
  }

  void end_phase(std::uint32_t which, std::uint64_t time) {
    if (const auto begun = phase_begun_[which])
      phases_[run_.phases[which].name].add({*begun, time});
    else
      ++ended_first_;
  }

  void send(std::uint32_t from, std::uint32_t which, std::uint64_t time) {
    const auto& message = run_.messages[which];
    if (message.item == dataflow::none) return;
    --needs_[message.item];
    if (run_.pieces[message.item].pe == from) {
      pes_[from].queue.push_back(message.item);
      return;
    }
    const auto arrives = pes_[from].entrance.inject(over_, nanoseconds(time), message.bytes);
    may_begin(message.item, static_cast<std::uint64_t>(arrives.count()) + message.network);
  }

  void enable_followers(std::uint32_t piece, std::uint64_t ended) {
    const auto& of = run_.pieces[piece];
    for (std::uint32_t f = of.first_follower + of.followers; f-- > of.first_follower;) {
      const auto& [next, delay] = run_.followers[f];
      if (--needs_[next] != 0) continue;
      if (run_.pieces[next].is_item || run_.pieces[next].pe != of.pe)
        may_begin(next, ended + delay);
      else
        going_on_.push_back(next);
    }
    if (of.box != dataflow::none) bring_value(of.box, of.pe, ended);
  }

  // Gives the value to the first user of the box without one, whether it waits already or not.
  void bring_value(std::uint32_t box, std::uint32_t pe, std::uint64_t time) {
    const auto& users = run_.boxes[box].users;
    if (values_[box] == users.size()) return;
    const auto next = users[values_[box]++];
    if (--needs_[next] != 0) return;
    if (run_.pieces[next].pe == pe)
      going_on_.push_back(next);
    else
      may_begin(next, time);
  }

  const dataflow& run_;
  const link_model& over_;
  std::vector<pe_state> pes_;
  std::vector<std::uint32_t> needs_;
  std::vector<std::size_t> values_;      // number of values received by each box
  std::vector<std::uint32_t> going_on_;  // stack of pieces to run next
  std::vector<std::optional<std::uint64_t>> phase_begun_;
  std::uint64_t ended_first_ = 0;     // phases that would end before they begin
  std::vector<interval_set> phases_;  // by name
  std::priority_queue<moment> agenda_;
  std::uint64_t order_ = 0;
  replayed result_;
};

}  // namespace

replayed replay(const dataflow& run, const link_model& over) { return simulation(run, over).result(); }

std::vector<std::uint64_t> recorded_phase_times(const dataflow& run) {
  std::vector<interval_set> phases(run.phase_names.size());
  for (const auto& phase : run.phases) phases[phase.name].add({phase.begun, phase.ended});
  return lengths(phases);
}

}  // namespace imbrex::tools
