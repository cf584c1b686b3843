// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/sleep.hpp>

#include <algorithm>

namespace imbrex::detail {

const work_type sleeper::kind{"timer", &sleeper::wake, &sleeper::forget, nullptr, nullptr};

void sleeper::start() {
  auto& pe = processor::here();
  timer_ = ::new (pool::allocate(sizeof(sleep_timer))) sleep_timer();
  timer_->type = &kind;
  timer_->owner = this;
  timer_->priority = priority_;
  const auto now = pe.now();
  timer_->deadline = now + std::min(std::max(time_, pe.shortest_sleep()), nanoseconds::max() - now);
  pe.add_timer(*timer_);
}

sleeper::~sleeper() {
  if (timer_ == nullptr) return;
  timer_->owner = nullptr;
  if (timer_->place == timer::nowhere) return;  // the timer is queued, and will find no owner
  processor::here().remove_timer(*timer_);
  forget(*timer_);
}

void sleeper::forget(work& item) noexcept {
  pool::release(&static_cast<sleep_timer&>(item), sizeof(sleep_timer));
}

void sleeper::wake(work& item) {
  sleeper* owner = static_cast<sleep_timer&>(item).owner;
  forget(item);
  if (owner == nullptr) return;
  owner->timer_ = nullptr;
  owner->waiter_.resume();
}

std::string sleeper::description() const {
  return "the end of a sleep of " + std::to_string(std::chrono::duration<double>(time_).count()) + " s";
}

}  // namespace imbrex::detail
