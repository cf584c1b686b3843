// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <imbrex/device/backend.hpp>
#include <imbrex/device/device.hpp>

namespace imbrex {

class event_pool;

/// A point in a stream, marked by `stream::record`. It is done when all work submitted to the stream before
/// it is done. An event may be recorded again; a wait refers to the last record before the wait. A destroyed
/// event returns to its pool, even while streams wait for it.
class event {
 public:
  event(event&& other) noexcept;  ///< Takes over the event; `other` may then only be destroyed or assigned.
  event& operator=(event&& other) noexcept;
  ~event() { give_back(); }

  /// True if the point has been reached, or the event was never recorded. Does not block. All work before the
  /// point is then done too. Throws `device_error` if the device has failed.
  bool done() const;
  /// Blocks the calling thread until the point is reached. Throws `device_error` if the device has failed.
  void synchronize() const;

 private:
  friend class event_pool;
  friend class stream;
  event(event_pool& from, std::unique_ptr<event_backend> backend) noexcept
      : pool_(&from), backend_(std::move(backend)) {}
  void give_back() noexcept;
  event_backend& backend() const;
  const void* device() const noexcept;

  event_pool* pool_;
  std::unique_ptr<event_backend> backend_;
  bool recorded_ = false;
};

/// A store of events for reuse, so that operations need not create them. The pool and its events belong to
/// one thread at a time. The pool must outlive its events.
class event_pool {
 public:
  explicit event_pool(device& of) : of_(of) { of.add_event_pools(1); }
  event_pool(const event_pool&) = delete;
  event_pool& operator=(const event_pool&) = delete;
  /// Aborts if any of its events are left.
  ~event_pool();

  event take();
  /// The numbers of events created so far, and of events in use.
  std::size_t created_count() const { return created_count_; }
  std::size_t taken() const { return created_count_ - free_.size(); }

 private:
  friend class event;
  device& of_;
  std::size_t created_count_ = 0;
  std::vector<std::unique_ptr<event_backend>> free_;
};

}  // namespace imbrex
