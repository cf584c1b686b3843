// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/stepping_machine.hpp>

#include <utility>

#include <imbrex/core/pe/executor_gate.hpp>

namespace imbrex::detail {

stepping_machine::stepping_machine(const options& settings, local_run& run)
    : run_(run), is_traced_(!settings.trace.empty()), events_(settings.checkpoint.faults.begin.events) {
  clock_.advance_to(settings.checkpoint.faults.begin.time);
  if (!settings.checkpoint.faults.next) return;
  const machine_moment& when = settings.checkpoint.faults.next->when;
  if (when.events > 0)
    fault_event_ = when.events;
  else
    fault_time_ = when.time;
  next_look_ = usual_look();
}

std::uint64_t stepping_machine::usual_look() const {
  return fault_time_ == nanoseconds::max() ? fault_event_ : 0;
}

void stepping_machine::connect(bool /*may_spin*/, scheduler* /*comm_thread*/) {}

void stepping_machine::begin() {
  for (const auto& p : run_.processors()) {
    const scheduler::activation as(*p);
    p->thread_observers().tell([](observer& o) { o.thread_begins(); });
  }
  has_begun_ = true;
}

void stepping_machine::interrupt() noexcept {
  next_look_.store(0, std::memory_order_relaxed);
  run_.gate()->wake();
}

bool stepping_machine::look_up() {
  next_look_.store(usual_look(), std::memory_order_relaxed);  // before the request is taken
  if (events_ >= fault_event_ || clock_.now() >= fault_time_) {
    fault_ = machine_moment{clock_.now(), events_};
    run_.exit(0);
    return true;
  }
  run_.attend();
  return false;
}

void stepping_machine::finish(const std::function<void(processor& pe)>& last) {
  for (const auto& p : run_.processors()) {
    const scheduler::activation as(*p);
    last(*p);
  }
  if (!std::exchange(has_begun_, false)) return;
  for (const auto& p : run_.processors()) {
    const scheduler::activation as(*p);
    p->thread_observers().tell_backward([](observer& o) { o.thread_ends(); });
  }
}

}  // namespace imbrex::detail
