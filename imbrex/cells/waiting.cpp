// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/waiting.hpp>

#include <imbrex/core/extension/port.hpp>

namespace imbrex::cells::detail {

void arrivals::wake() {
  bool is_destroyed = false;
  bool* const outer = std::exchange(is_destroyed_, &is_destroyed);
  for (wait* w = first_; w != nullptr;) {
    bool goes_on = true;
    try {
      goes_on = is_there(w->condition_);
    } catch (...) {  // the waiter throws the error when it is resumed
    }
    if (!goes_on) {
      w = w->later_;
      continue;
    }
    w->leave();
    w->waiter_.resume();
    if (is_destroyed) {
      if (outer != nullptr) *outer = true;
      return;
    }
    w = first_;
  }
  is_destroyed_ = outer;
}

bool wait::suspend(const waiter& who, scope& entry) {
  waiter_ = who;
  begin(entry);
  wait** last = &of_.first_;
  while (*last != nullptr) last = &(*last)->later_;
  *last = this;
  before_ = last;
  later_ = nullptr;
  return true;
}

void wait::await_resume() {
  suspension::end();
  of_.is_there(condition_);
}

std::string wait::description() const {
  return extension::describe_port(entry(), &of_) + ", " + of_.missing_text(condition_);
}

awaited wait::cause() const { return {trace::wait_cause::mailbox, condition_.phase}; }

}  // namespace imbrex::cells::detail
