// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <imbrex/device/backend.hpp>
#include <imbrex/device/device.hpp>

namespace imbrex {

class event_pool;

/// A point in a stream, marked by `stream::record`: done when all is that was submitted to the stream before.
/// It may be recorded again; whoever waits for it waits for the last record before the wait. An event goes
/// back to its pool when it is destroyed, also while streams wait for it.
class event {
 public:
  event(event&& other) noexcept;
  event& operator=(event&& other) noexcept;
  ~event() { give_back(); }

  /// True if it has come, and if it was never recorded. Does not wait. What was done before an event that is
  /// done is done too. Throws `device_error` if the device has failed.
  bool done() const;
  /// Blocks the calling thread until it is done. Throws `device_error` if the device has failed.
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

/// Makes events and keeps them, so that none is made for an operation. It belongs to one thread at a time, as
/// its events do, and outlives them.
class event_pool {
 public:
  explicit event_pool(device& of) : of_(of) { of.add_event_pools(1); }
  event_pool(const event_pool&) = delete;
  event_pool& operator=(const event_pool&) = delete;
  /// Aborts if events of it are left.
  ~event_pool();

  event take();
  /// How many events it has made so far, and how many are not in it now.
  std::size_t made() const { return made_; }
  std::size_t taken() const { return made_ - free_.size(); }

 private:
  friend class event;
  device& of_;
  std::size_t made_ = 0;
  std::vector<std::unique_ptr<event_backend>> free_;
};

}  // namespace imbrex
