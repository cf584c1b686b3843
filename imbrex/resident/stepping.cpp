// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/stepping.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/extension/fiber.hpp>

namespace imbrex::resident::detail {
namespace {

/// Polls after which a PE has published its finished items, has checked for quiescence, and has detected the
/// end of the run.
constexpr std::uint32_t looks_before_sleep = 160;
constexpr std::size_t stack_bytes = std::size_t{1} << 20U;  // memory is committed as it is used
constexpr std::size_t item_bytes = 16;
constexpr std::uint32_t near_way = 1U << 16U;  // larger than all GPUs: keys of arrivals from the cluster

/// Model of links that GPUs write over themselves, without the host's work before a transfer.
device_model without_rendezvous(device_model model) {
  model.link.eager = std::numeric_limits<std::size_t>::max();
  model.link.staged_from = 0;
  return model;
}

}  // namespace

struct stepping::pe {
  pe_state state;
  near_part near;
  std::vector<std::uint32_t> tickets;
  nanoseconds time{0};
  std::pair<nanoseconds, std::uint64_t> key{asleep, 0};  ///< in `ready_`
  std::uint32_t looks = 0;
  /// Arrival times of items, by source and ticket. Source 0 is the PE's mailbox; sources from 1 on are GPUs;
  /// sources from near_way on are PEs of the cluster.
  std::map<std::pair<std::uint32_t, std::uint32_t>, nanoseconds> arrivals;
  std::map<std::uint32_t, nanoseconds> put;  ///< by GPU: arrival time of the last data put there
  std::function<void()> body;
  extension::fiber stack{stack_bytes, [](void* body) { (*static_cast<std::function<void()>*>(body))(); },
                         &body};
};

stepping::stepping(const device_model& costs, std::uint32_t gpus, std::uint64_t seed)
    : costs_(without_rendezvous(costs)), gpus_(gpus), dice_(seed) {
  if (costs_.has_links() && gpus > 1) links_.emplace(costs_, static_cast<int>(gpus));
}

stepping::~stepping() = default;

nanoseconds stepping::run(const machine& m, serve_function serve, const std::function<void()>& rests) {
  std::deque<machine> gpus;
  for (std::uint32_t g = 0; g < gpus_; ++g) {
    machine& gpu = gpus.emplace_back(m.seen_by(g));
    gpu.shape.threads = 1;
    gpu.steps = this;
  }
  pes_each_ = m.pes_here;
  pes_.clear();
  ready_.clear();
  flags_.clear();
  for (std::uint32_t n = 0; n < m.pes; ++n) {
    pe& one = *pes_.emplace_back(std::make_unique<pe>());
    one.tickets.resize(m.pes_here);
    const machine& gpu = gpus[gpu_of(n)];
    one.state.prepare(gpu, n, one.tickets.data());
    one.near.prepare(gpu.first_ticket);
    one.body = [&one, &gpu, serve, n] {
      team alone;
      serve(gpu, one.state, alone, n);
    };
    wake(n, nanoseconds(0));
  }
  for (std::uint32_t n = 0; n < m.pes; ++n)
    pes_[n]->state.cluster.join(m, n, [this](std::uint32_t pe) { return &pes_[pe]->near; });
  nanoseconds last{0};
  for (std::uint32_t left = m.pes; left > 0;) {
    if (ready_.empty()) {  // all is quiet, or has ended, which PEs find out when they poll again
      rests();
      for (std::uint32_t n = 0; n < m.pes; ++n)
        if (!pes_[n]->stack.has_ended()) wake(n, last);
    }
    if (std::exchange(is_host_behind_, false)) rests();
    now_runs_ = ready_.begin()->second;
    ready_.erase(ready_.begin());
    pe& one = *pes_[now_runs_];
    one.time = std::max(one.time, one.key.first);
    one.key.first = asleep;
    one.stack.enter();
    last = std::max(last, one.time);
    if (!one.stack.has_ended()) continue;
    if (one.key.first != asleep) ready_.erase({one.key, now_runs_});
    --left;
  }
  rests();
  return last;
}

/// Lets a PE go on at that time, if not before.
void stepping::wake(std::uint32_t which, nanoseconds at) {
  pe& one = *pes_[which];
  if (one.stack.has_ended() || one.key.first <= at) return;
  if (one.key.first != asleep) ready_.erase({one.key, which});
  one.key = {at, ++turns_ + dice_.below(4 * pes_.size())};  // so that no PE is passed over for long
  ready_.insert({one.key, which});
}

nanoseconds stepping::earliest() const {
  const nanoseconds here = pes_[now_runs_]->time;
  return ready_.empty() ? here : std::min(here, ready_.begin()->first.first);
}

/// Arrival time of bytes that the PE sends now.
nanoseconds stepping::way(std::uint32_t from, std::uint32_t to, std::size_t bytes) {
  const nanoseconds now = pes_[from]->time;
  if (gpu_of(from) == gpu_of(to)) return now + costs_.resident.flight;
  if (!links_) return now + costs_.message.latency;
  return links_->transfer(now, {static_cast<int>(gpu_of(from)), true}, {static_cast<int>(gpu_of(to)), true},
                          bytes);
}

/// Arrival time of a message, which comes behind data that its sender has put there.
nanoseconds stepping::behind_puts(std::uint32_t from, std::uint32_t to) {
  const nanoseconds there = way(from, to, item_bytes);
  const auto put = pes_[from]->put.find(gpu_of(to));
  return put == pes_[from]->put.end() ? there : std::max(there, put->second);
}

void stepping::pass(step what, std::uint64_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t which = now_runs_;
  pe& me = *pes_[which];
  const auto& cost = costs_.resident;
  const auto memory_time = [&](std::uint64_t bytes) {
    const std::uint64_t rate = costs_.device.memory_bandwidth / pes_each_;
    return device_model::transfer_time(
        bytes, costs_.device.memory_bandwidth == 0 ? 0 : std::max<std::uint64_t>(rate, 1));
  };
  if (what != step::look && what != step::wait) me.looks = 0;
  switch (what) {
    case step::look:
      if (++me.looks < looks_before_sleep) return;
      me.looks = 0;
      if (!me.arrivals.empty() || !me.state.out.empty()) {
        // An item is in flight or waits for room. Other PEs must go on before this one polls again.
        nanoseconds at = me.time;
        if (!me.arrivals.empty()) {
          const auto earlier = [](const auto& x, const auto& y) { return x.second < y.second; };
          at = std::max(at, std::ranges::min_element(me.arrivals, earlier)->second);
        }
        // Other PEs of that time may wait likewise, for a PE that goes on later.
        const auto later = ready_.lower_bound({{at + nanoseconds(1), 0}, 0});
        if (at == me.time && later != ready_.end()) at = later->first.first;
        wake(which, at);
      }
      return leave();
    case step::send_near:
      me.time += cost.send;
      pes_[b]->arrivals[{near_way + which, static_cast<std::uint32_t>(a)}] = me.time + cost.flight;
      wake(b, me.time + cost.flight);
      break;
    case step::take_near:
    case step::take:
    case step::take_more: {
      const std::uint32_t from = what == step::take_near ? near_way + b : b;
      const auto known = me.arrivals.find({from, static_cast<std::uint32_t>(a)});
      if (known != me.arrivals.end()) {
        me.time = std::max(me.time, known->second);
        me.arrivals.erase(known);
      }
      if (what != step::take_more) me.time += cost.look + cost.take;
      break;
    }
    case step::local: me.time += cost.take; break;
    case step::send:
    case step::send_more: {
      if (what == step::send) me.time += cost.send;
      const nanoseconds there = behind_puts(which, b);
      const std::uint32_t from = gpu_of(b) == gpu_of(which) ? 0 : gpu_of(which) + 1;
      pes_[b]->arrivals[{from, static_cast<std::uint32_t>(a)}] = there;
      if (b != which) wake(b, there);
      break;
    }
    case step::flag: {
      me.time += cost.send;
      const std::uint32_t first = b * pes_each_;
      const nanoseconds there = behind_puts(which, first);
      flags_[a].write(c, there, earliest());
      for (std::uint32_t pe = first; pe < first + pes_each_; ++pe)
        if (pe != which) wake(pe, there);
      break;
    }
    case step::seen: {
      if (const auto known = flags_.find(a); known != flags_.end())
        me.time = std::max(me.time, known->second.of(c));
      me.time += cost.look;
      break;
    }
    case step::entry: me.time += (pes_each_ == 1 ? cost.device_entry : cost.entry) / 2; break;
    case step::bytes: me.time += memory_time(a); break;
    case step::put:
      if (gpu_of(b) == gpu_of(which)) {
        me.time += memory_time(a);
      } else {
        me.time += cost.send;
        me.put[gpu_of(b)] = way(which, b, a);
      }
      break;
    case step::time: me.time += nanoseconds(static_cast<std::int64_t>(a)); break;
    case step::sync:
      if (pes_each_ == 1) me.time += cost.device_sync;
      break;
    case step::tell: me.time += cost.tell; break;
    case step::wait:  // PEs that wait for each other, and for a PE that sleeps, must sleep, too
      if (++me.looks < looks_before_sleep)
        wake(which, ready_.empty() ? me.time : std::max(me.time, ready_.begin()->first.first));
      else
        me.looks = 0;
      return leave();
    case step::host:
      is_host_behind_ = true;
      wake(which, me.time);
      return leave();
  }
  is_host_behind_ = what == step::entry && me.state.host.pending_begin != me.state.host.pending_end;
  if (!is_host_behind_ && (ready_.empty() || ready_.begin()->first.first > me.time)) return;
  wake(which, me.time);
  leave();
}

void stepping::leave() { pes_[now_runs_]->stack.leave(); }

void pass_step(stepping& through, step what, std::uint64_t a, std::uint32_t b, std::uint32_t c) {
  through.pass(what, a, b, c);
}

}  // namespace imbrex::resident::detail
