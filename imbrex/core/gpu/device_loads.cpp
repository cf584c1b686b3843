// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_loads.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include <imbrex/core/pe/load_meter.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/device/backend.hpp>

namespace imbrex::detail {

namespace {

/// Operations are timed in one of so many periods.
constexpr unsigned periods_a_comparison = 8;

double seconds_of(nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; }

}  // namespace

struct operation_comparison::use {
  const ended* operation;
  double begin;
  double share;
};

void operation_comparison::add(std::uint32_t stream, std::string_view name, const device_work& estimate) {
  estimates_.insert_or_assign(std::string(name), estimate);
  const auto at = streams_.find(stream);
  if (at != streams_.end()) at->second.push_back({std::string(name), estimate});
}

void operation_comparison::finish(const finished_operation& operation) {
  using type = finished_operation::type;
  if (operation.what == type::host_function) return;
  const bool is_within = operation.what == type::within_device;
  ended its{.name = is_within ? "copy within the device" : std::string(operation.name),
            .estimate = {},
            .what = is_within ? type::kernel : operation.what,
            .begin = seconds_of(operation.begin),
            .end = seconds_of(operation.end),
            .was_awaited = false};
  const auto at = streams_.find(operation.stream);
  if (at != streams_.end() && !at->second.empty()) {
    if (at->second.front().name == its.name) {
      its.estimate = at->second.front().estimate;
      its.was_awaited = true;
      at->second.pop_front();
    } else {
      streams_.erase(at);
    }
  }
  ended_.push_back(std::move(its));
}

/// Divides the device among operations of a kind. Each begins and ends once; between two such moments the
/// running ones stay.
void operation_comparison::measure(finished_operation::type what,
                                   std::map<std::string, sums, std::less<>>& by_name) const {
  std::vector<use> uses;
  for (const ended& each : ended_) {
    if (each.what != what) continue;
    if (each.was_awaited) by_name[each.name].estimated += each.estimate.seconds();
    const auto known = estimates_.find(each.name);
    const device_work estimate = each.was_awaited            ? each.estimate
                                 : known != estimates_.end() ? known->second
                                                             : device_work{.elapsed = each.end - each.begin};
    const double used = estimate.elapsed - estimate.latency;
    uses.push_back(
        {&each, std::min(each.begin + estimate.latency, each.end), used > 0 ? estimate.seconds() / used : 1});
  }
  struct moment {
    double at;
    bool is_end;
    const use* whose;
  };
  std::vector<moment> moments;
  for (const use& each : uses) {
    moments.push_back({each.begin, false, &each});
    moments.push_back({each.operation->end, true, &each});
  }
  std::ranges::sort(moments, {}, [](const moment& m) { return std::pair(m.at, m.is_end); });
  std::vector<const use*> running;
  double shares = 0, before = 0;
  for (const moment& m : moments) {
    const double passed = (m.at - std::exchange(before, m.at)) / std::max(shares, 1.0);
    for (const use* const each : running)
      if (each->operation->was_awaited) by_name[each->operation->name].measured += passed * each->share;
    if (m.is_end)
      std::erase(running, m.whose);
    else
      running.push_back(m.whose);
    shares = 0;
    for (const use* const each : running) shares += each->share;
  }
}

std::map<std::string, double, std::less<>> operation_comparison::factors() const {
  using type = finished_operation::type;
  std::map<std::string, sums, std::less<>> by_name;
  for (const type what : {type::kernel, type::to_device, type::from_device}) measure(what, by_name);
  std::map<std::string, double, std::less<>> found;
  for (const auto& [name, its] : by_name)
    if (its.estimated > 0 && its.measured > 0) found.emplace(name, its.measured / its.estimated);
  return found;
}

void device_loads::submits(stream_backend& to) noexcept {
  if (!compares_.load(std::memory_order_relaxed)) [[likely]]
    return;
  try {
    {
      const std::lock_guard hold(lock_);
      if (comparison_.has_begun(to.number())) return;
    }
    if (to.capturing() || !to.idle()) return;
    of_.backend().catch_up();  // reports what the stream had before
    const std::lock_guard hold(lock_);
    if (compares_.load(std::memory_order_relaxed)) comparison_.begin(to.number());
  } catch (const std::exception&) {  // the device has failed, which the operation itself reports
  }
}

void device_loads::submitted(stream_backend& to, std::string_view name, const device_work& work) noexcept {
  double factor = 1;
  try {
    const std::lock_guard hold(lock_);
    if (compares_.load(std::memory_order_relaxed)) [[unlikely]]
      comparison_.add(to.number(), name, work);
    const auto at = factors_.find(name);
    if (at != factors_.end()) factor = at->second;
  } catch (const std::exception&) {  // out of memory: the operation is not compared
  }
  const auto* const pe = static_cast<const processor*>(scheduler::current());
  if (pe == nullptr || pe->loads() == nullptr) return;
  pe->loads()->add_beside(static_cast<float>(work.elapsed * factor), static_cast<float>(work.share));
}

void device_loads::finished(const finished_operation& operation) noexcept {
  const std::lock_guard hold(lock_);
  if (!observes_.load(std::memory_order_relaxed)) return;
  try {
    comparison_.finish(operation);
  } catch (const std::exception&) {  // out of memory: the operation is not compared
  }
}

void device_loads::end_period_of_first() {
  // Operations that were submitted in one period have ended by the end of the next one, by and large.
  switch (++periods_ % periods_a_comparison) {
    case 0: return begin_comparison();
    case 1: return compares_.store(false, std::memory_order_relaxed);
    case 2: return end_comparison();
    default: return;
  }
}

void device_loads::begin_comparison() noexcept {
  {
    const std::lock_guard hold(lock_);
    comparison_ = {};
  }
  // Without the lock, since the device reports operations meanwhile.
  const bool is_observed = of_.backend().observe(this);
  observes_.store(is_observed, std::memory_order_relaxed);
  compares_.store(is_observed, std::memory_order_relaxed);
}

void device_loads::end_comparison() noexcept {
  if (!observes_.load(std::memory_order_relaxed)) return;
  of_.backend().catch_up();
  of_.backend().observe(nullptr);
  const std::lock_guard hold(lock_);
  observes_.store(false, std::memory_order_relaxed);
  try {
    for (const auto& [name, factor] : comparison_.factors()) factors_.insert_or_assign(name, factor);
  } catch (const std::exception&) {  // out of memory: the estimates stay as they are
  }
  comparison_ = {};
}

}  // namespace imbrex::detail
