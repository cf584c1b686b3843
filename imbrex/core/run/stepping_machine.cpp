// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/stepping_machine.hpp>

#include <utility>

namespace imbrex::detail {

void stepping_machine::connect(bool /*may_spin*/, scheduler* /*comm_thread*/) {}

void stepping_machine::begin() {
  for (const auto& p : run_.processors()) {
    const scheduler::activation as(*p);
    p->thread_observers().tell([](observer& o) { o.thread_begins(); });
  }
  has_begun_ = true;
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
