// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include <imbrex/base/inbox.hpp>

namespace imbrex::detail {

/// Through which threads that are no PE post work, while the run goes on. It outlives the run as long as
/// somebody has an executor. Any thread.
class executor_gate {
 public:
  /// Posts an item, unless the run has ended: then false, and the item is the caller's.
  bool post(inbox& door, work& item) {
    const std::lock_guard hold(lock_);
    if (!is_open_) return false;
    door.post(item);
    posted_.notify_all();
    return true;
  }
  bool is_open() {
    const std::lock_guard hold(lock_);
    return is_open_;
  }
  /// The run has ended.
  void close() {
    const std::lock_guard hold(lock_);
    is_open_ = false;
  }
  /// Where one thread steps all PEs: waits until something that they look for has been posted.
  void wait(const std::function<bool()>& has_come) {
    std::unique_lock hold(lock_);
    posted_.wait(hold, has_come);
  }

 private:
  std::mutex lock_;  ///< of the rest, and of posting through it
  std::condition_variable posted_;
  bool is_open_ = true;
};

}  // namespace imbrex::detail
