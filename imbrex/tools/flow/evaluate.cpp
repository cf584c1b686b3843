// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/flow/evaluate.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/device/emulated/flow_costs.hpp>
#include <imbrex/device/node_links.hpp>
#include <imbrex/net/delay/link_model.hpp>
#include <imbrex/tools/flow/device_engine.hpp>
#include <imbrex/tools/flow/event_heap.hpp>
#include <imbrex/tools/flow/item_queues.hpp>

namespace imbrex::tools {
namespace {

using trace::flow;

/// The polls of a PE for completions of its device, as `device_completions` makes them.
class polls {
 public:
  struct waiting {
    std::uint32_t stream;
    std::uint32_t oldest;  ///< completions
    std::uint32_t newest;
  };
  std::vector<waiting> streams;
  std::size_t next = 0;
  std::size_t in_vain = 0;
  std::uint32_t pending = 0;
  int turns_between = 1;
  int turns_left = 1;
};

/// The costs of a PE on a machine, in ns.
struct pe_costs {
  explicit pe_costs(const device_model& model)
      : least(std::max<std::int64_t>(least_item_cost(model).count(), 1)), query(model.host.query.count()) {
    for (std::size_t k = 0; k < items.size(); ++k)
      items[k] = cost_of(model, static_cast<flow::item_cost>(k)).count();
    for (std::size_t k = 0; k < sends.size(); ++k)
      sends[k] = cost_of(model, static_cast<flow::send_cost>(k)).count();
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const auto what = static_cast<emulated::host_call>(k);
      calls[k].first = cost_of(model, what, 0).count();
      calls[k].second = cost_of(model, what, 1).count() - calls[k].first;
    }
  }
  /// The cost of a call; `operations`: those of a graph.
  std::int64_t of_calls(emulated::host_call what, std::uint64_t operations) const {
    const auto& [first, each] = calls[static_cast<std::size_t>(what)];
    return first + each * static_cast<std::int64_t>(operations);
  }
  std::array<std::int64_t, 4> items{};
  std::array<std::int64_t, 3> sends{};
  std::array<std::pair<std::int64_t, std::int64_t>, 7> calls{};  ///< cost of a call, and of each operation
  std::int64_t
      least;  ///< least cost of any item; positive, so that a PE that polls reaches the time of the event
  std::int64_t query;
};

/// The ways of messages between PEs.
struct network {
  network(const flow& what, const device_model& model)
      : link{nanoseconds(what.facts.net_latency), what.facts.net_bandwidth,
             nanoseconds(what.facts.net_injection_gap)} {
    if (model.has_links() && link.latency.count() == 0 && link.bandwidth == 0)
      host_pes = static_cast<std::uint32_t>(std::max<std::size_t>(
          1, static_cast<std::size_t>(model.node.devices) * what.pes() / what.facts.devices));
    if (link.latency.count() == 0) link.latency = model.message.latency;
    if (link.bandwidth == 0) link.bandwidth = model.message.bandwidth;
  }
  link_model link;
  std::uint32_t host_pes = 0;  ///< 0: all PEs are equally far apart
};

/// The PEs that poll each device.
class device_users {
 public:
  explicit device_users(const flow& what) : first_(what.facts.devices + 1) {
    for (std::size_t p = 0; p < what.pes(); ++p)
      if (what.has_device[p] != 0) ++first_[what.device_of_pe[p] + 1];
    for (std::size_t d = 1; d < first_.size(); ++d) first_[d] += first_[d - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    pes_.resize(first_.back());
    for (std::uint32_t p = 0; p < what.pes(); ++p)
      if (what.has_device[p] != 0) pes_[next[what.device_of_pe[p]]++] = p;
  }
  std::span<const std::uint32_t> of(std::uint32_t device) const {
    return std::span(pes_).subspan(first_[device], first_[device + 1] - first_[device]);
  }

 private:
  std::vector<std::uint32_t> first_;  ///< first of each device in `pes_`, and a sentinel
  std::vector<std::uint32_t> pes_;
};

class evaluation {
 public:
  evaluation(const flow& what, const device_model& machine)
      : flow_(what),
        model_(machine),
        links_(machine.has_links() ? std::optional<node_links>(std::in_place, machine, devices_of(what))
                                   : std::nullopt),
        devices_(what, machine, links_ ? &*links_ : nullptr),
        network_(what, machine),
        costs_(machine),
        users_(what),
        queues_(what),
        pes_(what.pes()),
        polls_(what.pes()),
        segments_(what.segments.size()),
        arrived_(what.boxes.size()),
        next_completion_(what.completions.size(), flow::none),
        turns_(what.pes()) {
    for (std::size_t s = 0; s < segments_.size(); ++s) segments_[s].needs = what.segments[s].needs;
    facts_.is_completion.resize(what.items.size());
    facts_.is_seen.resize(what.marks.size());
    for (const flow::completion& c : flow_.completions) facts_.is_completion[c.item] = 1;
  }

  evaluated_run run() {
    queues_.push(0, flow_.facts.first_item);
    plan(0);
    while (ended_at_ < 0) step();
    return {nanoseconds(ended_at_), events_ + devices_.events()};
  }

 private:
  static int devices_of(const flow& what) { return static_cast<int>(what.facts.devices); }

  struct pe_state {
    std::int64_t free_from = 0;
    bool looks = false;
    link_entrance entrance;
  };
  struct segment_state {
    std::uint32_t needs = 0;
    std::uint32_t source = flow::none;  ///< segment that has brought the value that it works on
  };
  struct place_in_segment {
    std::uint32_t action;
    std::uint32_t end;
    std::uint32_t segment;
  };
  /// In `event::what` of an arrival: the message leaves its host first.
  static constexpr std::uint64_t leaves_host = std::uint64_t{1} << 63U;
  // Values of `ended_at_` before the end: the run goes on, or ends with this turn.
  static constexpr std::int64_t runs = -1;
  static constexpr std::int64_t ends = -2;

  void step();
  void arrive();
  void take(std::uint32_t pe);
  void run_item(std::uint32_t pe, std::uint32_t item);
  void run_segment(std::uint32_t pe, std::uint32_t segment);
  void act(std::uint32_t pe, std::uint32_t segment, const flow::action& a);
  void need_less(std::uint32_t segment);
  void send(std::uint32_t pe, std::uint32_t number);
  void put(std::int64_t when, std::uint64_t what) { arrivals_.push_in_order(when, what); }
  void await(std::uint32_t pe, std::uint32_t completion);
  void look(std::uint32_t pe);
  bool look_at(std::uint32_t pe, std::size_t place);
  bool look_at_next(std::uint32_t pe);
  void look_beside_work(std::uint32_t pe);
  void have_users_look();
  void plan(std::uint32_t pe);
  std::int64_t time_of(const pe_state& pe) const { return std::max(now_, pe.free_from); }
  /// As `local_clock` does, the sum stays at the largest time.
  void charge(pe_state& pe, std::int64_t time) {
    const std::int64_t now = time_of(pe);
    pe.free_from = now + std::min(time, std::numeric_limits<std::int64_t>::max() - now);
  }

  const flow& flow_;
  const device_model& model_;
  std::optional<node_links> links_;
  device_engine devices_;
  const network network_;
  const pe_costs costs_;
  const device_users users_;
  item_queues queues_;

  std::vector<pe_state> pes_;
  std::vector<polls> polls_;  ///< by PE
  std::vector<segment_state> segments_;
  std::vector<std::uint32_t> arrived_;  ///< by box
  std::vector<std::uint32_t> next_completion_;
  struct {
    std::vector<std::uint8_t> is_completion;  ///< by item
    std::vector<std::uint8_t> is_seen;        ///< by mark: a PE knows that it is done
  } facts_;
  std::vector<place_in_segment> running_;
  event_heap arrivals_;
  moments turns_;
  std::int64_t now_ = 0;
  std::uint64_t events_ = 0;
  std::int64_t ended_at_ = runs;
};

void evaluation::step() {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  const std::int64_t device = devices_.next().value_or(never);
  const std::int64_t arrival = arrivals_.empty() ? never : arrivals_.first().when;
  const std::int64_t turn = turns_.empty() ? never : turns_.first().when;
  if (device == never && arrival == never && turn == never)
    throw error("the flow does not end: something that it waits for never happens; record it again");
  if (device <= arrival && device <= turn) {
    now_ = std::max(now_, device);
    devices_.advance_to(device);
    return have_users_look();
  }
  ++events_;
  if (arrival <= turn) {
    now_ = std::max(now_, arrival);
    return arrive();
  }
  now_ = std::max(now_, turn);
  const auto pe = static_cast<std::uint32_t>(turns_.first().what);
  turns_.take_first();
  take(pe);
}

void evaluation::arrive() {
  const event arrived = arrivals_.take_first();
  const flow::message& m = flow_.messages[static_cast<std::uint32_t>(arrived.what)];
  if ((arrived.what & leaves_host) != 0) {
    const auto from = static_cast<int>(arrived.what >> 32U & 0x7fffffffU);
    const int to = static_cast<int>(flow_.device_of_pe[m.to]);
    const nanoseconds when = links_->transfer(nanoseconds(now_), {from, false}, {to, false}, m.bytes);
    return put(when.count(), static_cast<std::uint32_t>(arrived.what));
  }
  queues_.push(m.to, m.item);
  plan(m.to);
}

void evaluation::plan(std::uint32_t pe) {
  const pe_state& own = pes_[pe];
  if (own.looks || !queues_.empty(pe))
    turns_.set(pe, time_of(own));
  else
    turns_.erase(pe);
}

void evaluation::have_users_look() {
  for (const std::uint32_t device : devices_.take_devices_with_news())
    for (const std::uint32_t pe : users_.of(device)) {
      pes_[pe].looks = polls_[pe].pending > 0;
      plan(pe);
    }
}

void evaluation::take(std::uint32_t pe) {
  devices_.advance_to(now_);
  pe_state& own = pes_[pe];
  if (std::exchange(own.looks, false) && queues_.empty(pe)) {
    look(pe);
  } else {
    charge(own, costs_.least);
    polls& its = polls_[pe];
    if (flow_.has_device[pe] != 0 && its.pending != 0) {
      if (queues_.empty(pe))
        look_at_next(pe);
      else if (--its.turns_left <= 0)
        look_beside_work(pe);
    }
    if (const std::uint32_t item = queues_.pop(pe); item != flow::none) {
      const std::int64_t cost = costs_.items[static_cast<std::size_t>(flow_.items[item].cost)];
      charge(own, std::max<std::int64_t>(0, cost - costs_.least));
      run_item(pe, item);
    }
    own.looks = its.pending > 0;
  }
  plan(pe);
  have_users_look();
  if (ended_at_ == ends) ended_at_ = own.free_from;
}

void evaluation::look(std::uint32_t pe) {
  const std::int64_t before = pes_[pe].free_from;
  bool found = false;
  for (std::size_t place = polls_[pe].streams.size(); place-- > 0;) found |= look_at(pe, place);
  if (!found) pes_[pe].free_from = before;
}

bool evaluation::look_at(std::uint32_t pe, std::size_t place) {
  polls& its = polls_[pe];
  polls::waiting& s = its.streams[place];
  bool found = false;
  while (s.oldest != flow::none) {
    charge(pes_[pe], costs_.query);
    const flow::completion& c = flow_.completions[s.oldest];
    if (c.operation != flow::none && !devices_.is_done(c.operation)) break;
    queues_.push(pe, c.item);
    s.oldest = next_completion_[s.oldest];
    found = true;
  }
  if (s.oldest == flow::none) {
    if (place + 1 != its.streams.size()) its.streams[place] = its.streams.back();
    its.streams.pop_back();
  }
  return found;
}

bool evaluation::look_at_next(std::uint32_t pe) {
  polls& its = polls_[pe];
  if (its.streams.empty()) return false;
  if (++its.next >= its.streams.size()) its.next = 0;
  return look_at(pe, its.next);
}

void evaluation::look_beside_work(std::uint32_t pe) {
  constexpr int most_turns_between_looks = 16;
  polls& its = polls_[pe];
  const bool found = look_at_next(pe);
  if (found) {
    its.turns_between = 1;
    its.in_vain = 0;
  } else if (++its.in_vain >= its.streams.size()) {
    its.turns_between = std::min(its.turns_between * 2, most_turns_between_looks);
    its.in_vain = 0;
  }
  its.turns_left = its.turns_between;
}

void evaluation::run_item(std::uint32_t pe, std::uint32_t item) {
  const std::uint32_t segment = flow_.items[item].segment;
  if (--segments_[segment].needs == 0) run_segment(pe, segment);
  if (facts_.is_completion[item] != 0) --polls_[pe].pending;
}

void evaluation::run_segment(std::uint32_t pe, std::uint32_t segment) {
  running_.push_back(
      {flow_.segments[segment].first_action, flow_.segments[segment + 1].first_action, segment});
  while (!running_.empty()) {
    place_in_segment& at = running_.back();
    if (at.action == at.end) {
      running_.pop_back();
      continue;
    }
    act(pe, at.segment, flow_.actions[at.action++]);
  }
}

/// A segment that waits for nothing more runs next, and then the rest of the one that runs.
void evaluation::need_less(std::uint32_t segment) {
  if (--segments_[segment].needs == 0)
    running_.push_back(
        {flow_.segments[segment].first_action, flow_.segments[segment + 1].first_action, segment});
}

void evaluation::act(std::uint32_t pe, std::uint32_t segment, const flow::action& a) {
  pe_state& own = pes_[pe];
  switch (a.kind) {
    case flow::action_kind::work: charge(own, static_cast<std::int64_t>(a.value)); break;
    case flow::action_kind::copy:
      charge(own, device_model::transfer_time(a.value, model_.host.copy_bandwidth).count());
      break;
    case flow::action_kind::call:
      charge(own, costs_.of_calls(static_cast<emulated::host_call>(a.detail), a.value) * a.what);
      break;
    case flow::action_kind::query: {
      if (facts_.is_seen[a.what] != 0) break;
      charge(own, costs_.query);
      const std::uint32_t operation = flow_.marks[a.what].operation;
      if (operation == flow::none || devices_.is_done(operation)) facts_.is_seen[a.what] = 1;
      break;
    }
    case flow::action_kind::send: send(pe, a.what); break;
    case flow::action_kind::push: queues_.push(pe, a.what); break;
    case flow::action_kind::submit:
      devices_.submit(a.what, time_of(own), {segment, segments_[segment].source});
      break;
    case flow::action_kind::await: await(pe, a.what); break;
    case flow::action_kind::follow: need_less(a.what); break;
    case flow::action_kind::value: {
      const std::uint32_t user = flow_.boxes[a.what].first_user + arrived_[a.what]++;
      if (user >= flow_.boxes[a.what + 1].first_user) break;
      segments_[flow_.users[user].segment].source = segment;
      need_less(flow_.users[user].segment);
      break;
    }
    case flow::action_kind::end: ended_at_ = ends; break;
  }
}

void evaluation::send(std::uint32_t pe, std::uint32_t number) {
  pe_state& own = pes_[pe];
  const flow::message& m = flow_.messages[number];
  if (m.to == pe) return put(time_of(own), number);
  charge(own, costs_.sends[static_cast<std::size_t>(m.cost)]);
  const std::uint32_t host_pes = network_.host_pes;
  if (host_pes != 0 && m.to / host_pes != pe / host_pes)
    return put(time_of(own), number | std::uint64_t{flow_.device_of_pe[pe]} << 32U | leaves_host);
  put(own.entrance.inject(network_.link, nanoseconds(time_of(own)), m.bytes).count(), number);
}

void evaluation::await(std::uint32_t pe, std::uint32_t completion) {
  polls& its = polls_[pe];
  ++its.pending;
  const std::uint32_t stream = flow_.completions[completion].stream;
  const auto found = std::ranges::find(its.streams, stream, &polls::waiting::stream);
  if (found == its.streams.end()) {
    its.streams.push_back({stream, completion, completion});
  } else {
    next_completion_[found->newest] = completion;
    found->newest = completion;
  }
}

}  // namespace

evaluated_run evaluate(const flow& what, const device_model& machine) {
  return evaluation(what, machine).run();
}

}  // namespace imbrex::tools
