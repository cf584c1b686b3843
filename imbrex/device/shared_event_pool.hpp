// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <imbrex/base/quick_lock.hpp>
#include <imbrex/device/backend.hpp>

namespace imbrex::detail {

/// A pool of a device's events that are passed between threads. Any thread.
class shared_event_pool {
 public:
  explicit shared_event_pool(device_backend& of) : of_(of), info_(of.info()) {}
  shared_event_pool(const shared_event_pool&) = delete;
  shared_event_pool& operator=(const shared_event_pool&) = delete;

  struct record {
    explicit record(shared_event_pool& pool) : from(pool) {}
    shared_event_pool& from;
    std::unique_ptr<event_backend> backend;
    std::atomic<std::uint32_t> owners{1};
  };
  record& take() {
    {
      const std::lock_guard guard(lock_);
      if (!free_.empty()) [[likely]] {
        record& r = *free_.back();
        free_.pop_back();
        r.owners.store(1, std::memory_order_relaxed);
        return r;
      }
    }
    return make();
  }
  void give_back(record& r) noexcept {
    const std::lock_guard guard(lock_);
    free_.push_back(&r);
  }
  const device_info& info() const { return info_; }
  /// Throws `error` once the device has ended.
  void check_alive() const {
    if (ended_.load(std::memory_order_relaxed)) [[unlikely]]
      refuse_use();
  }
  void end() noexcept { ended_.store(true, std::memory_order_relaxed); }
  /// The numbers of events made, and of events in use.
  std::size_t created_count();
  std::size_t taken();

 private:
  record& make();
  [[noreturn]] void refuse_use() const;

  device_backend& of_;
  const device_info& info_;
  std::atomic<bool> ended_{false};
  quick_lock lock_;
  std::vector<std::unique_ptr<record>> all_;
  std::vector<record*> free_;  ///< has capacity for all
};

}  // namespace imbrex::detail
