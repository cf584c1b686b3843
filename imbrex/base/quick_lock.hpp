// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace imbrex::detail {

/// A lock for a few instructions on the path of each message: std::mutex takes some fifty in calls alone.
/// After Drepper, "Futexes Are Tricky" (2011), the second mutex there: 0 is free, 1 held, 2 held while others
/// may wait. Taking it acquires, and giving it back releases, so each holder sees what the one before wrote.
/// Any thread.
class quick_lock {
 public:
  quick_lock() = default;
  quick_lock(const quick_lock&) = delete;
  quick_lock& operator=(const quick_lock&) = delete;

  // The interface of std::lock_guard.
  void lock() noexcept {
    std::uint32_t free = 0;
    if (!state_.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed))
        [[unlikely]]
      wait();
  }
  void unlock() noexcept {
    if (state_.exchange(0, std::memory_order_release) == 2) [[unlikely]]
      state_.notify_one();
  }

 private:
  void wait() noexcept {
    while (state_.exchange(2, std::memory_order_acquire) != 0) state_.wait(2, std::memory_order_relaxed);
  }

  std::atomic<std::uint32_t> state_ = 0;
};

}  // namespace imbrex::detail
