// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <utility>

namespace imbrex::mpi {

/// The lock of one target: held by one origin, or shared by several. Requests are granted in order of
/// arrival, so that no origin starves. Only the target's PE uses it.
class lock_queue {
 public:
  /// Returns whether the lock is granted at once.
  bool request(int origin, bool is_exclusive) {
    if (!waiting_.empty() || !can_have(is_exclusive)) {
      waiting_.push_back({origin, is_exclusive});
      return false;
    }
    take(is_exclusive);
    return true;
  }
  /// One holder releases the lock. Calls grant(origin) for each waiting origin that now holds it.
  template <typename Grant>
  void release(Grant grant) {
    if (!std::exchange(is_exclusive_, false)) --shares_;
    while (!waiting_.empty() && can_have(waiting_.front().is_exclusive)) {
      const waiter next = waiting_.front();
      waiting_.pop_front();
      take(next.is_exclusive);
      grant(next.origin);
    }
  }
  bool is_held() const { return is_exclusive_ || shares_ > 0; }

 private:
  struct waiter {
    int origin;
    bool is_exclusive;
  };
  bool can_have(bool is_exclusive) const { return !is_exclusive_ && (shares_ == 0 || !is_exclusive); }
  void take(bool is_exclusive) { is_exclusive ? void(is_exclusive_ = true) : void(++shares_); }

  bool is_exclusive_ = false;
  int shares_ = 0;
  std::deque<waiter> waiting_;
};

}  // namespace imbrex::mpi
