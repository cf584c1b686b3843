// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/flow/device_engine.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace imbrex::tools {
namespace {

double time_at(double amount, double rate) { return rate > 0 ? amount * 1e9 / rate : 0; }

/// Rounded up, except for the rounding error of a sum.
std::int64_t whole(double time) { return static_cast<std::int64_t>(std::ceil(std::min(time, 1e18) - 1e-6)); }

}  // namespace

const std::vector<std::uint32_t>& device_engine::list::take() {
  taken_.clear();
  std::swap(taken_, listed_);
  if (taken_.size() > 1) std::ranges::sort(taken_);
  for (const std::uint32_t number : taken_) is_listed_[number] = 0;
  return taken_;
}

device_engine::device_engine(const trace::flow& what, const device_model& model, node_links* links)
    : flow_(what),
      model_(model),
      links_(links),
      state_(what.operations.size()),
      followers_(what.befores.size()),
      devices_(what.facts.devices),
      changed_(what.facts.devices),
      with_news_(what.facts.devices),
      finishes_(what.facts.devices) {
  for (const trace::flow::shape& s : flow_.shapes) {
    cost c{.what = s.kind, .priority = s.priority};
    switch (s.kind) {
      case kind::join:
      case kind::peer: break;
      case kind::kernel: {
        const auto start = s.in_graph != 0 ? model.device.graph_kernel_start : model.device.kernel_start;
        c.latency = start.count() + static_cast<std::int64_t>(s.time);
        c.work = std::max(time_at(s.bytes, static_cast<double>(model.device.memory_bandwidth)),
                          time_at(s.flops, model.device.flops));
        const auto all = static_cast<double>(model.device.threads);
        if (s.threads != 0 && all > 0) c.share = std::min(1.0, static_cast<double>(s.threads) / all);
        break;
      }
      case kind::to_device:
        c.latency = model.copy.latency.count();
        c.work = time_at(static_cast<double>(s.copied), static_cast<double>(model.copy.to_device));
        break;
      case kind::from_device:
        c.latency = model.copy.latency.count();
        c.work = time_at(static_cast<double>(s.copied), static_cast<double>(model.copy.from_device));
        break;
    }
    c.work = std::min(c.work, 1e15 * c.share);
    costs_.push_back(c);
  }
  const std::size_t count = flow_.operations.size() - 1;
  const auto is_brought = [](const trace::flow::before& b) { return b.place != none; };
  if (std::ranges::any_of(flow_.befores, is_brought)) prepare_brought();
  for (const auto& b : flow_.befores)
    if (!is_brought(b)) ++state_[b.operation].followers;
  std::uint32_t next = 0;
  for (std::size_t o = 0; o < count; ++o) {
    progress& op = state_[o];
    op.shape = flow_.operations[o].shape;
    op.from = flow_.operations[o].from;
    op.device = flow_.operations[o].device;
    op.what = costs_[op.shape].what;
    op.first_follower = next;
    next += std::exchange(op.followers, 0);
  }
  for (std::uint32_t o = 0; o < count; ++o) {
    const std::uint32_t first = flow_.operations[o].first_before;
    const std::uint32_t last = flow_.operations[o + 1].first_before;
    state_[o].unmet = 1 + last - first;  // one for its submission
    for (std::uint32_t b = first; b < last; ++b) {
      if (is_brought(flow_.befores[b])) continue;
      progress& before = state_[flow_.befores[b].operation];
      followers_[before.first_follower + before.followers++] = o;
    }
  }
}

void device_engine::prepare_brought() {
  brought_.firsts.assign(flow_.segments.size(), none);
  brought_.counts.assign(flow_.segments.size(), 0);
  brought_.lists.assign(flow_.operations.size(), none);
  brought_.next.assign(flow_.befores.size(), none);
  brought_.followers.assign(flow_.befores.size(), none);
  brought_.takers.assign(flow_.segments.size(), none);
  for (const trace::flow::user& u : flow_.users) brought_.takers[u.source] = u.segment;
  for (std::size_t s = 0; s + 1 < flow_.segments.size(); ++s)
    for (std::uint32_t a = flow_.segments[s].first_action; a < flow_.segments[s + 1].first_action; ++a)
      if (flow_.actions[a].kind == trace::flow::action_kind::submit) {
        if (brought_.counts[s]++ == 0) brought_.firsts[s] = flow_.actions[a].what;
      }
}

/// The operation that took the place of this one in the recorded run, when it worked on the value of the
/// source.
std::uint32_t device_engine::counterpart(std::uint32_t operation, const submission& by) const {
  const std::uint32_t taker = by.source == none ? none : brought_.takers[by.source];
  if (taker == none || taker == by.segment) return operation;
  const std::uint32_t place = operation - brought_.firsts[by.segment];
  if (place >= brought_.counts[taker]) return operation;
  const std::uint32_t other = brought_.firsts[taker] + place;
  return state_[other].what == state_[operation].what ? other : operation;
}

/// The operation before another one that belongs to the value that has come; that of the recorded one if the
/// other has none there.
std::uint32_t device_engine::brought(const trace::flow::before& b, std::uint32_t other,
                                     const submission& by) const {
  if (b.place != trace::flow::before::of_sender)
    return by.source == none || b.place >= brought_.counts[by.source] ? b.operation
                                                                      : brought_.firsts[by.source] + b.place;
  const std::uint32_t last = flow_.operations[other + 1].first_before;
  for (std::uint32_t i = flow_.operations[other].first_before; i < last; ++i)
    if (flow_.befores[i].place == trace::flow::before::of_sender) return flow_.befores[i].operation;
  return b.operation;
}

void device_engine::submit(std::uint32_t operation, std::int64_t moment, const submission& by) {
  progress& op = state_[operation];
  op.earliest = moment;
  if (!brought_.firsts.empty()) {
    const std::uint32_t other = counterpart(operation, by);
    op.shape = flow_.operations[other].shape;
    op.from = flow_.operations[other].from;
    const std::uint32_t last = flow_.operations[operation + 1].first_before;
    for (std::uint32_t b = flow_.operations[operation].first_before; b < last; ++b) {
      if (flow_.befores[b].place == none) continue;
      const std::uint32_t before = brought(flow_.befores[b], other, by);
      if (state_[before].is_done) {
        --op.unmet;
        continue;
      }
      brought_.followers[b] = operation;
      brought_.next[b] = std::exchange(brought_.lists[before], b);
    }
  }
  if (--op.unmet == 0) arm(operation);
  settle();
}

std::optional<std::int64_t> device_engine::next() {
  std::int64_t first = timers_.empty() ? never : timers_.first().when;
  if (!finishes_.empty()) first = std::min(first, finishes_.first().when);
  return first == never ? std::nullopt : std::optional(std::max(first, now_));
}

void device_engine::advance_to(std::int64_t moment) {
  for (auto due = next(); due && *due <= moment; due = next()) {
    now_ = *due;
    ++events_;
    if (!timers_.empty() && timers_.first().when <= now_) {
      ring(timers_.take_first());
    } else {
      due_.clear();
      for (; !finishes_.empty() && finishes_.first().when <= now_; finishes_.take_first())
        due_.push_back(static_cast<std::uint32_t>(finishes_.first().what));
      std::ranges::sort(due_);
      for (std::size_t d = 0; d < due_.size(); ++d) finish_computing(due_[d]);
    }
    settle();
  }
  now_ = std::max(now_, moment);
}

void device_engine::ring(const event& due) {
  const auto op = static_cast<std::uint32_t>(due.what);
  switch (static_cast<alarm>(due.what >> 32U)) {
    case alarm::arm: armed_.push_back(op); break;
    case alarm::latency_over: latency_over(op); break;
    case alarm::time_over: time_over(op); break;
  }
}

void device_engine::arm(std::uint32_t op) {
  const std::int64_t start = std::max(now_, state_[op].earliest);
  if (start <= now_)
    armed_.push_back(op);
  else
    set(start, alarm::arm, op);
}

void device_engine::settle() {
  while (!armed_.empty() || !changed_.empty()) {
    for (std::size_t i = 0; i < armed_.size(); ++i) get_ready(armed_[i]);  // may grow meanwhile
    armed_.clear();
    for (const std::uint32_t number : changed_.take()) {
      device& d = devices_[number];
      assign(d.kernels, model_.device.concurrent_kernels, true);
      assign(d.to_device, model_.copy.engines_to_device, false);
      assign(d.from_device, model_.copy.engines_from_device, false);
      assign(d.peer, std::numeric_limits<int>::max(), false);
    }
  }
}

void device_engine::add_to(place& at, std::uint32_t op) {
  (at.first == none ? at.first : state_[at.last].next) = op;
  at.last = op;
  state_[op].next = none;
}

void device_engine::get_ready(std::uint32_t op) {
  device& d = of(op);
  changed_.add(state_[op].device);
  state_[op].rank = ++ready_;
  switch (state_[op].what) {
    case kind::join: complete(op); break;
    case kind::kernel: add_to(d.kernels, op); break;
    case kind::to_device: add_to(d.to_device, op); break;
    case kind::from_device: add_to(d.from_device, op); break;
    case kind::peer: add_to(d.peer, op); break;
  }
}

bool device_engine::is_before(std::uint32_t a, std::uint32_t b) const {
  const auto of_a = cost_of(a).priority;
  const auto of_b = cost_of(b).priority;
  return of_a != of_b ? of_a > of_b : state_[a].rank < state_[b].rank;
}

void device_engine::assign(place& at, int limit, bool by_priority) {
  while (at.running < limit && at.first != none) {
    std::uint32_t before = none;  // the one before the chosen operation
    std::uint32_t chosen = at.first;
    if (by_priority)
      for (std::uint32_t last = at.first, op = state_[last].next; op != none; last = op, op = state_[op].next)
        if (cost_of(op).priority > cost_of(chosen).priority) {
          before = last;
          chosen = op;
        }
    (before == none ? at.first : state_[before].next) = state_[chosen].next;
    if (at.last == chosen) at.last = before;
    ++at.running;
    start(chosen);
  }
}

void device_engine::start(std::uint32_t op) {
  const progress& o = state_[op];
  const trace::flow::shape& s = flow_.shapes[o.shape];
  const cost& c = costs_[o.shape];
  state_[op].left = c.work;
  if (links_ != nullptr) {
    const auto left_until = [&](nanoseconds end) { return static_cast<double>(end.count() - now_); };
    const node_links::end there{static_cast<int>(o.device), true};
    const node_links::end host{static_cast<int>(o.device), false};
    const nanoseconds now(now_);
    double& left = state_[op].left;
    switch (s.kind) {
      case kind::to_device:
        left = std::max(left, left_until(links_->transfer(now, host, there, s.copied)));
        break;
      case kind::from_device:
        left = std::max(left, left_until(links_->transfer(now, there, host, s.copied)));
        break;
      case kind::peer:
        left = left_until(links_->transfer(now, {static_cast<int>(o.from), true},
                                           {static_cast<int>(flow_.operations[op].to), true}, s.copied));
        break;
      default: break;
    }
  }
  if (c.latency == 0)
    latency_over(op);
  else
    set(now_ + c.latency, alarm::latency_over, op);
}

void device_engine::latency_over(std::uint32_t op) {
  if (state_[op].left <= 0) return time_over(op);
  if (state_[op].what != kind::kernel) return set(now_ + whole(state_[op].left), alarm::time_over, op);
  device& d = of(op);
  compute(d);
  d.computing.insert(std::ranges::upper_bound(
                         d.computing, op, [&](std::uint32_t a, std::uint32_t b) { return is_before(a, b); }),
                     op);
  share_out(state_[op].device);
}

void device_engine::time_over(std::uint32_t op) {
  device& d = of(op);
  changed_.add(state_[op].device);
  switch (state_[op].what) {
    case kind::join: break;
    case kind::kernel: --d.kernels.running; break;
    case kind::to_device: --d.to_device.running; break;
    case kind::from_device: --d.from_device.running; break;
    case kind::peer: --d.peer.running; break;
  }
  complete(op);
}

void device_engine::complete(std::uint32_t number) {
  progress& op = state_[number];
  for (std::uint32_t f = op.first_follower; f < op.first_follower + op.followers; ++f) tell(followers_[f]);
  if (!brought_.lists.empty())
    for (std::uint32_t b = brought_.lists[number]; b != none; b = brought_.next[b])
      tell(brought_.followers[b]);
  with_news_.add(op.device);
  op.is_done = true;
  ++events_;
}

void device_engine::compute(device& d) {
  const auto passed = static_cast<double>(now_ - d.computed_until);
  for (const std::uint32_t op : d.computing) state_[op].left -= passed * state_[op].speed;
  d.computed_until = now_;
}

void device_engine::share_out(std::uint32_t number) {
  double rest = 1;
  std::int64_t first = never;
  for (const std::uint32_t op : devices_[number].computing) {
    progress& p = state_[op];
    p.speed = rest > 1e-9 ? std::min(cost_of(op).share, rest) : 0;
    rest -= p.speed;
    if (p.speed > 0) first = std::min(first, now_ + std::max<std::int64_t>(0, whole(p.left / p.speed)));
  }
  first == never ? finishes_.erase(number) : finishes_.set(number, first);
}

void device_engine::finish_computing(std::uint32_t number) {
  device& d = devices_[number];
  compute(d);
  over_.clear();
  std::erase_if(d.computing, [&](std::uint32_t op) {
    if (state_[op].speed <= 0 || whole(state_[op].left / state_[op].speed) > 0) return false;
    over_.push_back(op);
    return true;
  });
  share_out(number);
  for (std::size_t i = 0; i < over_.size(); ++i) time_over(over_[i]);
}

const std::vector<std::uint32_t>& device_engine::take_devices_with_news() { return with_news_.take(); }

}  // namespace imbrex::tools
