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

namespace imbrex {

/// One accelerator: a GPU or an emulated one. The constructors of `stream`, `event_pool`, `device_buffer`,
/// `pinned_buffer` and `flag_array` take the device, which must outlive these objects. The devices of a run
/// end with the run: using such an object after that throws `error`, and only the contents of pinned memory
/// remain. Any thread may use a device; its objects say themselves who may use them.
class device {
 public:
  explicit device(std::unique_ptr<device_backend> backend);
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  /// Waits for what its streams still run. In debug builds it aborts if objects of the device are left.
  ~device();

  const device_info& info() const { return info_; }
  /// Bytes of device memory that are free, if they were in one piece.
  std::size_t free_memory();
  detail::memory_pool& memory(memory_kind kind) {
    check_alive();
    return kind == memory_kind::device ? memory_ : pinned_;
  }
  /// How many streams it has.
  std::size_t streams() { return streams_.streams(); }

  /// True if it copies from other devices of the process itself.
  bool copies_from_peers() const { return peers_ && info().can.peer_copies; }
  /// Before it is used: such copies go through memory of the host from now on.
  void leave_out_peers() noexcept { peers_ = false; }

  /// Keeps something until the device is destroyed, and before it.
  void keep(std::shared_ptr<void> what) {
    const std::lock_guard guard(keeping_);
    kept_.push_back(std::move(what));
  }

  /// For the classes that are made of a device.
  void add_event_pools(int count) noexcept { event_pools_.fetch_add(count, std::memory_order_relaxed); }
  void add_graphs(int count) noexcept { graphs_.fetch_add(count, std::memory_order_relaxed); }
  device_backend& backend() {
    check_alive();
    return *backend_;
  }
  detail::stream_registry& registry() { return streams_; }
  detail::shared_event_pool& shared_events() {
    check_alive();
    return shared_events_;
  }

  // At the end of a run.

  /// What is made of it and not destroyed: "2 streams, 1 buffer of 4.0 KiB"; empty if nothing is.
  std::string left();
  /// Waits for what its streams still run. From now on what is left can be destroyed and nothing else.
  void end() noexcept;
  bool ended() const noexcept { return ended_.load(std::memory_order_relaxed); }
  /// Throws `error` if it has ended.
  void check_alive() const {
    if (ended()) refuse_use();
  }
  [[noreturn]] void refuse_use() const;

 private:
  std::unique_ptr<device_backend> backend_;
  const device_info& info_ = backend_->info();
  bool peers_ = true;
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
