// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/deterministic_machine.hpp>

#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/run/internal/stepping.hpp>

namespace imbrex::detail {

namespace {

void step_one(local_run& r, processor& pe) {
  act_as(r, pe, [&] { pe.step(); });
}

/// The PE whose timer is the first to be due; null if there is none.
processor* first_by_timers(local_run& r) {
  processor* first = nullptr;
  for (int p = 0; p < r.num_pes(); ++p) {
    auto& pe = r.processor_at(p);
    if (pe.next_deadline() && (first == nullptr || *pe.next_deadline() < *first->next_deadline()))
      first = &pe;
  }
  return first;
}

void advance_devices(local_run& r, nanoseconds moment) {
  r.devices().advance_to(moment);
  look_at_devices(r);
}

void advance_to_timer(local_run& r, processor& of) {
  r.simulated_time().advance_to(*of.next_deadline());
  step_one(r, of);
}

}  // namespace

bool step_deterministic(local_run& r, delayed_transport& wire) {
  if (r.ended()) return false;
  processor* const first = first_by_timers(r);
  auto of_devices = r.devices().next();
  const bool goes_on = of_devices && r.devices().goes_on_beside();
  if (first != nullptr && of_devices > first->next_deadline()) of_devices.reset();
  if (goes_on) {
    of_devices ? advance_devices(r, *of_devices) : advance_to_timer(r, *first);
    return !r.ended();
  }
  const int pes = r.num_pes();
  const int start =
      r.devices().any() ? r.devices().draw(pes) : 0;  // an item may ask a device again and again
  for (int p = start; p < start + pes; ++p)           // what the last delivery has made ready
    if (auto& pe = r.processor_at(p % pes); !pe.idle()) {
      step_one(r, pe);
      return !r.ended();
    }
  if (!wire.empty()) {
    const auto next = wire.take();
    auto& pe = r.processor_at(next.to);
    pe.push(*next.what);
    step_one(r, pe);
    return !r.ended();
  }
  if (look_at_devices(r)) return !r.ended();  // what takes no time is done when it is submitted
  if (of_devices) {
    advance_devices(r, *of_devices);
  } else if (first != nullptr) {
    advance_to_timer(r, *first);
  } else {
    r.quiet({});
  }
  return !r.ended();
}

void run_deterministic(local_run& r, delayed_transport& wire) {
  while (step_deterministic(r, wire)) {
  }
}

}  // namespace imbrex::detail
