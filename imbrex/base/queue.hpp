// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/work.hpp>

namespace imbrex::detail {

/// A first-in, first-out queue, linked through the items; one thread.
class work_queue {
 public:
  bool empty() const { return first_ == nullptr; }

  void push(work& item) {
    item.next = nullptr;
    if (first_ == nullptr) {
      first_ = &item;
    } else {
      last_->next = &item;
    }
    last_ = &item;
  }

  /// The oldest item. Not on an empty queue.
  work& pop() {
    work& item = *first_;
    first_ = item.next;
    return item;
  }

  work* front() const { return first_; }

 private:
  work* first_ = nullptr;
  work* last_ = nullptr;
};

}  // namespace imbrex::detail
