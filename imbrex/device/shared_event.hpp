// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <utility>

#include <imbrex/device/backend.hpp>
#include <imbrex/device/shared_event_pool.hpp>

namespace imbrex {

class stream;

/// A point in a stream that several threads may use, such as the completion of a sent buffer's contents.
/// Copies refer to the same point. Each copy belongs to one thread at a time, as an int does.
/// `stream::wait(shared_event)` orders a stream after it.
class shared_event {
 public:
  /// An event without a point, which is done.
  shared_event() = default;
  /// The end of the work submitted to the stream so far. Throws `device_error` for a stream that is being
  /// captured: work outside of the capture could not wait for it.
  explicit shared_event(stream& work);
  shared_event(const shared_event& other) noexcept : at_(other.at_) {
    if (at_ != nullptr) at_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  shared_event(shared_event&& other) noexcept : at_(std::exchange(other.at_, nullptr)) {}
  shared_event& operator=(shared_event other) noexcept {
    std::swap(at_, other.at_);
    return *this;
  }
  ~shared_event() {
    if (at_ != nullptr && at_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) at_->from.give_back(*at_);
  }

  /// Replaces the point, for all copies, by the end of the work submitted to the stream so far. The stream
  /// must be on the device of the earlier point, if there is one. No thread may use a copy meanwhile. Throws
  /// as the constructor.
  void mark(stream& work);
  /// True if the point has been reached, or there is none. Does not block. Throws `device_error` if the
  /// device has failed.
  bool done() const;
  /// True if there is a point.
  explicit operator bool() const noexcept { return at_ != nullptr; }

 private:
  friend class stream;
  event_backend& backend() const {
    at_->from.check_alive();
    return *at_->backend;
  }
  const void* device() const noexcept { return at_->from.info().id; }

  detail::shared_event_pool::record* at_ = nullptr;
};

}  // namespace imbrex
