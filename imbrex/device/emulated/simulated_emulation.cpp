// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/simulated_emulation.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/device/emulated/flow_costs.hpp>

namespace imbrex {

simulated_time::simulated_time(detail::simulated_clock& clock, std::optional<std::uint64_t> seed,
                               double jitter)
    : clock_(clock), seed_(seed), jitter_(std::clamp(jitter, 0.0, 1.0)) {}

simulated_time::~simulated_time() = default;

std::optional<nanoseconds> simulated_time::next() const {
  return devices_ == nullptr ? std::nullopt : devices_->core().next();
}

void simulated_time::advance_to(nanoseconds moment) {
  for (auto due = next(); due && *due <= moment; due = next()) {
    clock_.advance_to(*due);  // first, since host functions read it
    devices_->core().advance_to(*due);
  }
  clock_.advance_to(moment);
  if (devices_ != nullptr) devices_->core().advance_to(clock_.now());
}

std::span<const int> simulated_time::take_devices_with_news() {
  return devices_ == nullptr ? std::span<const int>() : devices_->core().take_devices_with_news();
}

namespace emulated {

simulated_emulation::simulated_emulation(const emulated_options& emulation_options)
    : emulation(emulation_options),
      time_(*emulation_options.time),
      engine_(*this,
              std::vector(static_cast<std::size_t>(emulation_options.devices), emulation_options.model),
              emulation_options.links, time_.seed_, time_.jitter_, emulation_options.defect) {
  if (time_.devices_ != nullptr) throw error("this simulated time has devices already; make another one");
  time_.devices_ = this;
  engine_.advance_to(time_.now());
}

simulated_emulation::~simulated_emulation() { time_.devices_ = nullptr; }

bool simulated_emulation::seen(const completion& awaited) {
  if (awaited.done.load(std::memory_order_relaxed) && awaited.visible <= time_.now()) return true;
  if (std::exchange(query_time_, time_.now()) != time_.now()) failed_queries_ = 0;
  if (++failed_queries_ > most_in_vain)
    throw error(
        "a program polls its device in a loop, but no time passes while an entry runs; await stream.done() "
        "instead");
  return false;
}

std::uint32_t simulated_emulation::marked(const completion* last) {
  return time_.listener_ == nullptr ? 0 : time_.listener_->marked(last == nullptr ? 0 : last->number);
}

void simulated_emulation::asks(std::uint32_t mark) {
  if (time_.listener_ != nullptr) time_.listener_->asks(mark);
}

nanoseconds simulated_emulation::charge(host_call what, std::size_t operations) {
  const nanoseconds cost = cost_of(how().model, what, operations);
  // Other code may have moved the clock.
  time_.advance_to(time_.now());
  if (time_.caller_ == nullptr) return time_.now();
  const bool is_reported = time_.listener_ != nullptr && what != host_call::free;
  if (is_reported) [[unlikely]]
    time_.listener_->called(what, static_cast<std::uint32_t>(operations));
  if (cost.count() != 0) time_.caller_->charge(cost);
  if (is_reported) [[unlikely]]
    time_.listener_->charged();
  return std::max(time_.now(), time_.caller_->now());
}

void simulated_emulation::wait(const completion& awaited, int device) {
  if (time_.listener_ != nullptr) time_.listener_->blocked();
  while (!seen(awaited) && engine_.failure(device).empty()) {
    const auto due = time_.next();
    if (!due) throw error("no further event can occur: the stream waits for a flag that was never written");
    time_.advance_to(*due);
  }
}

void simulated_emulation::stop(int device) noexcept { engine_.fail(device, "it was destroyed"); }

void simulated_emulation::submitted(const operation& op, std::span<const completion_ref> after) {
  if (time_.listener_ == nullptr) return;
  std::vector<const completion*> all;
  for (const completion_ref& before : after) all.push_back(before.get());
  op.end->number = time_.listener_->submitted(op, op.device, all);
}

void simulated_emulation::begin(operation& started) {
  const bool now = started.kind == operation_kind::host_function || engine_.draw(2) == 1;
  if (now) engine_.body_done(started, run(started));
}

void simulated_emulation::end(operation& over) { engine_.body_done(over, run(over)); }

}  // namespace emulated
}  // namespace imbrex
