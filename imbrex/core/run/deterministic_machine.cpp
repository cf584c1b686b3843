// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/deterministic_machine.hpp>

#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/gpu/run_options.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::detail {

namespace {

/// Items take no time here, so a sleep of zero would end at once.
constexpr nanoseconds shortest_sleep{1000};

}  // namespace

deterministic_machine::deterministic_machine(const options& settings, local_run& run)
    : stepping_machine(settings, run), wire_(seed_of_order(settings)) {}

void deterministic_machine::connect(bool /*may_spin*/, scheduler* /*comm_thread*/) {
  for (const auto& p : run_.processors()) p->set_shortest_sleep(shortest_sleep);
}

void deterministic_machine::run() {
  run_steps([this] { return step(); });
}

void deterministic_machine::step_one(processor& pe) {
  act_as(pe, [&] { pe.step(); });
}

processor* deterministic_machine::first_by_timers() {
  processor* first = nullptr;
  for (int p = 0; p < run_.num_pes(); ++p) {
    auto& pe = run_.processor_at(p);
    if (pe.has_timers() && (first == nullptr || *pe.next_deadline() < *first->next_deadline())) first = &pe;
  }
  return first;
}

bool deterministic_machine::look_at_devices() {
  bool found = false;
  for (int p = 0; p < run_.num_pes(); ++p) {
    auto& pe = run_.processor_at(p);
    if (pe.completions() != nullptr) act_as(pe, [&] { found |= device_completions::of(pe)->look_at_all(); });
  }
  return found;
}

void deterministic_machine::advance_devices(nanoseconds moment) {
  run_.devices().advance_to(moment);
  look_at_devices();
}

void deterministic_machine::advance_to_timer(processor& of) {
  clock_.advance_to(*of.next_deadline());
  step_one(of);
}

bool deterministic_machine::step() {
  local_run& r = run_;
  if (r.ended()) return false;
  processor* const first = first_by_timers();
  auto of_devices = r.devices().next();
  const bool goes_on = of_devices && r.devices().goes_on_beside();
  if (first != nullptr && of_devices > first->next_deadline()) of_devices.reset();
  if (goes_on) {
    of_devices ? advance_devices(*of_devices) : advance_to_timer(*first);
    return !r.ended();
  }
  const int pes = r.num_pes();
  const int start = r.devices().any() ? r.devices().draw(pes) : 0;  // an item may query a device repeatedly
  for (int p = start; p < start + pes; ++p)  // PEs that the last delivery has made ready
    if (auto& pe = r.processor_at(p % pes); !pe.idle()) {
      step_one(pe);
      return !r.ended();
    }
  if (!wire_.empty()) {
    const auto next = wire_.take();
    auto& pe = r.processor_at(next.to);
    pe.push(*next.what);
    step_one(pe);
    return !r.ended();
  }
  if (look_at_devices()) return !r.ended();  // work without duration is done when it is submitted
  if (of_devices) {
    advance_devices(*of_devices);
  } else if (first != nullptr) {
    advance_to_timer(*first);
  } else {
    r.idle();
  }
  return !r.ended();
}

}  // namespace imbrex::detail
