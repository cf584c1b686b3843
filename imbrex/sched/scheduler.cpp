// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/scheduler.hpp>

namespace imbrex {

void scheduler::take_in() {
  work* item = door_.take();
  while (item != nullptr) {
    work* next = item->next;
    queue_.push(*item);
    item = next;
  }
}

void scheduler::take_due_timers() {
  const auto moment = now();
  while (timer* due = timers_.take_due(moment)) queue_.push(*due);
}

void scheduler::run_after() {
  while (!after_.empty()) {
    work& item = after_.pop();
    item.type->run(item);
  }
}

void scheduler::discard_work() noexcept {
  const activation mine(*this);
  while (!after_.empty()) {
    work& item = after_.pop();
    item.type->destroy(item);
  }
  for (;;) {
    if (door_.has_items()) take_in();
    work* item = queue_.pop();
    if (item == nullptr) break;
    item->type->destroy(*item);
  }
  while (timer* t = timers_.take_due(nanoseconds::max())) t->type->destroy(*t);
}

}  // namespace imbrex
