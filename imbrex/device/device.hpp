// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/device/backend.hpp>
#include <imbrex/device/memory_pool.hpp>
#include <imbrex/device/shared_event_pool.hpp>
#include <imbrex/device/stream_registry.hpp>
#include <imbrex/device/work_meter.hpp>

namespace imbrex {

/// One accelerator: a GPU or an emulated one. The constructors of `stream`, `event_pool`, `device_buffer`,
/// `pinned_buffer` and `flag_array` take the device, which must outlive these objects. The devices of a run
/// end with the run. After that, use of such an object throws `error`, and only the contents of pinned memory
/// remain. Any thread may use a device; the classes of its objects say which threads may use these.
class device {
 public:
  /// `backend`: implementation of the kind of device. Programs get devices by `devices`.
  explicit device(std::unique_ptr<device_backend> backend);
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  /// Waits for running work of its streams. In debug builds it aborts if objects of the device are left.
  ~device();

  const device_info& info() const { return info_; }  ///< Name, kind and limits of the device.
  /// Bytes of free device memory, in one piece or not.
  std::size_t free_memory();
  /// Bytes of device memory that buffers can have: those that are free, and those that the pool keeps.
  std::size_t available_memory();
  /// Pool of device memory or of pinned memory, by kind.
  detail::memory_pool& memory(memory_kind kind) {
    check_alive();
    return kind == memory_kind::device ? memory_ : pinned_;
  }
  /// The number of its streams.
  std::size_t streams() { return streams_.streams(); }

  /// True if it copies directly from other devices of the process.
  bool copies_from_peers() const { return peers_ && info().can.peer_copies; }
  /// Routes copies between devices through host memory; before the device is used.
  void leave_out_peers() noexcept { peers_ = false; }

  /// Reports the work of all streams made from now on to a meter, which must outlive them.
  void meter_by(work_meter& meter) noexcept { meter_ = &meter; }
  /// A stream of its backend, for `stream`.
  std::unique_ptr<stream_backend> make_stream(stream_priority priority, std::string owner);

  /// Keeps an object alive until just before the device is destroyed.
  void keep(std::shared_ptr<void> what) {
    const std::lock_guard guard(keeping_);
    kept_.push_back(std::move(what));
  }

  /// Counts of objects, for the classes made from a device.
  void add_event_pools(int count) noexcept { event_pools_.fetch_add(count, std::memory_order_relaxed); }
  void add_graphs(int count) noexcept { graphs_.fetch_add(count, std::memory_order_relaxed); }
  /// Implementation of the kind of device.
  device_backend& backend() {
    check_alive();
    return *backend_;
  }
  detail::stream_registry& registry() { return streams_; }
  detail::shared_event_pool& shared_events() {
    check_alive();
    return shared_events_;
  }

  // Functions for the end of a run.

  /// A list of objects not destroyed: "2 streams, 1 buffer of 4.0 KiB"; empty if there are none.
  std::string left();
  /// Waits for running work of its streams. From then on its objects can only be destroyed.
  void end() noexcept;
  /// True after `end`: the run is over, and no more work may be submitted.
  bool ended() const noexcept { return ended_.load(std::memory_order_relaxed); }
  /// Throws `error` if the device has ended.
  void check_alive() const {
    if (ended()) refuse_use();
  }
  [[noreturn]] void refuse_use() const;

 private:
  std::unique_ptr<device_backend> backend_;
  const device_info& info_ = backend_->info();
  bool peers_ = true;
  work_meter* meter_ = nullptr;
  std::atomic<bool> ended_{false};
  std::atomic<int> event_pools_{0};
  std::atomic<int> graphs_{0};
  detail::stream_registry streams_{*backend_};
  detail::shared_event_pool shared_events_{*backend_};
  detail::memory_pool memory_{*backend_, memory_kind::device, streams_};
  detail::memory_pool pinned_{*backend_, memory_kind::pinned, streams_};
  std::mutex keeping_;
  std::vector<std::shared_ptr<void>> kept_;
};

}  // namespace imbrex
