// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <semaphore.h>

#include <cerrno>
#include <functional>
#include <mutex>

#include <imbrex/base/inbox.hpp>

namespace imbrex::detail {

/// The gate through which threads that are no PE post work during a run. It outlives the run as long as an
/// executor exists. Any thread.
class executor_gate {
 public:
  executor_gate() { ::sem_init(&changes_, 0, 0); }
  ~executor_gate() { ::sem_destroy(&changes_); }
  executor_gate(const executor_gate&) = delete;
  executor_gate& operator=(const executor_gate&) = delete;

  /// Posts an item. Returns false if the run has ended; then the caller keeps the item.
  bool post(inbox& pe_inbox, work& item) {
    const std::lock_guard hold(lock_);
    if (!is_open_) return false;
    pe_inbox.post(item);
    wake();
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
  /// Waits until `condition` is true, perhaps after a post; for the thread that steps all PEs.
  void wait(const std::function<bool()>& condition) {
    for (;;) {
      {
        const std::lock_guard hold(lock_);
        if (condition()) return;
      }
      while (::sem_wait(&changes_) != 0 && errno == EINTR) {
      }
    }
  }
  /// Makes `wait` look at its condition. Callable in a handler of a signal.
  void wake() noexcept { ::sem_post(&changes_); }

 private:
  std::mutex lock_;  ///< guards `is_open_`, and is held while posting
  sem_t changes_;    ///< counts posts, and perhaps more
  bool is_open_ = true;
};

}  // namespace imbrex::detail
