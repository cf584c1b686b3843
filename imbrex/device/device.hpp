// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include <imbrex/device/backend.hpp>
#include <imbrex/device/memory_pool.hpp>
#include <imbrex/device/stream_registry.hpp>

namespace imbrex {

/// One accelerator: a GPU, or what stands for one. It makes nothing by itself: a `stream`, an `event_pool`, a
/// `device_buffer`, a `pinned_buffer` and a `flag_array` each take the device that they are of, and may not
/// outlive it. Any thread may use it; what is made of it says itself who may.
class device {
 public:
  explicit device(std::unique_ptr<device_backend> backend);
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  /// Waits for what its streams still run. In debug builds aborts if streams, event pools or buffers of it are left.
  ~device();

  const device_info& info() const { return backend_->info(); }
  /// Bytes of device memory that a buffer could still have, if it were in one piece.
  std::size_t free_memory();
  memory_pool& memory(memory_kind kind) { return kind == memory_kind::device ? memory_ : pinned_; }
  /// How many streams it has.
  std::size_t streams() { return streams_.streams(); }

  /// For the classes that are made of a device.
  void add_event_pools(int count) noexcept { event_pools_.fetch_add(count, std::memory_order_relaxed); }
  device_backend& backend() { return *backend_; }
  detail::stream_registry& registry() { return streams_; }

 private:
  std::unique_ptr<device_backend> backend_;
  std::atomic<int> event_pools_{0};
  detail::stream_registry streams_{*backend_};
  memory_pool memory_{*backend_, memory_kind::device, streams_};
  memory_pool pinned_{*backend_, memory_kind::pinned, streams_};
};

}  // namespace imbrex
