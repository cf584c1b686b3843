// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include <imbrex/base/inbox.hpp>

namespace imbrex::detail {

/// The gate through which threads that are no PE post work during a run. It outlives the run as long as an
/// executor exists. Any thread.
class executor_gate {
 public:
  /// Posts an item. Returns false if the run has ended; then the caller keeps the item.
  bool post(inbox& pe_inbox, work& item) {
    const std::lock_guard hold(lock_);
    if (!is_open_) return false;
    pe_inbox.post(item);
    posted_.notify_all();
    return true;
  }
  bool is_open() {
    const std::lock_guard hold(lock_);
    return is_open_;
  }
  /// Called when the run has ended.
  void close() {
    const std::lock_guard hold(lock_);
    is_open_ = false;
  }
  /// Waits until `condition` is true after a post; for the thread that steps all PEs.
  void wait(const std::function<bool()>& condition) {
    std::unique_lock hold(lock_);
    posted_.wait(hold, condition);
  }

 private:
  std::mutex lock_;  ///< guards `is_open_`, and is held while posting
  std::condition_variable posted_;
  bool is_open_ = true;
};

}  // namespace imbrex::detail
