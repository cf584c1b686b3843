// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/pool.hpp>
#include <imbrex/base/quick_lock.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/device/attachment.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/shared_event.hpp>

namespace imbrex {
namespace detail {

/// Allocates from the PE's own pool, for objects made for each message.
template <class T>
struct pool_allocator {
  using value_type = T;

  pool_allocator() = default;
  template <class U>
  pool_allocator(const pool_allocator<U>&) noexcept {}
  T* allocate(std::size_t count) { return static_cast<T*>(pool::allocate(count * sizeof(T))); }
  void deallocate(T* at, std::size_t count) noexcept { pool::release(at, count * sizeof(T)); }
  bool operator==(const pool_allocator&) const = default;
};

/// State of a loan, common to the memory's owner and its readers. Any thread.
class loan_record {
 public:
  /// Memory whose contents are complete after event `filled`.
  loan_record(const void* address, device& on, shared_event filled);
  /// Memory that was read once, up to event `read`, and may be read again.
  static std::shared_ptr<loan_record> of_read(const void* address, device& on, const shared_event& read);
  loan_record(const loan_record&) = delete;
  loan_record& operator=(const loan_record&) = delete;
  ~loan_record();

  /// A part of a message that reads the memory. `self`: this record.
  static attachment part(const std::shared_ptr<loan_record>& self, std::size_t count, std::size_t size);
  /// Completes when each part has read the memory or has been destroyed.
  static task<> done(std::shared_ptr<loan_record> self);
  /// Completes when the event has occurred.
  static task<> done_at(shared_event read);

 private:
  class reader_of_loan;

  struct waiter {
    std::uint32_t pe;
    reply_address address;
  };

  void end_reading(shared_event&& read) noexcept;
  bool is_read();
  /// Registers a waiter, to be notified when all parts have read. False if all have read already.
  bool will_tell(const waiter& who);

  const void* const address_;
  device& on_;
  const shared_event filled_;
  void* const held_;  ///< block of the pool; null for memory outside all pools
  quick_lock lock_;
  int readers_ = 0;
  shared_event first_read_;           ///< first recorded event of a read
  std::vector<shared_event> others_;  ///< events of other reads
  std::vector<waiter> waiting_;       ///< may include waiters that have been cancelled
};

/// Throws `device_error` unless the memory is on the stream's device.
void check_loan(const void* device, const stream& filled);
[[noreturn]] void throw_moved_loan();

}  // namespace detail

/// Device memory that its owner keeps and shares with receivers: an argument for parameters of type
/// `device_argument`. It may be sent to any number of receivers. Created by `zero_copy`.
///
/// The owner must not change the memory before `co_await loan.done()` has ended. Memory of a `device_buffer`
/// is not reused before, even if the buffer is destroyed. A moved-from loan has no elements and must not be
/// sent; its `done()` waits for no reader.
template <class T>
class device_loan {
 public:
  device_loan(device_span<const T> memory, stream& filled)
      : record_(std::allocate_shared<detail::loan_record>(detail::pool_allocator<detail::loan_record>(),
                                                          memory.data(), filled.on(), shared_event(filled))),
        on_(&filled.on()),
        memory_(memory) {}
  device_loan(const device_loan& other)
      : record_(other.on_ != nullptr ? other.record() : nullptr), on_(other.on_), memory_(other.memory_) {}
  device_loan(device_loan&& other) noexcept
      : record_(std::move(other.record_)),
        read_(std::move(other.read_)),
        on_(std::exchange(other.on_, nullptr)),
        memory_(std::exchange(other.memory_, {})) {}
  device_loan& operator=(device_loan other) noexcept {
    record_ = std::move(other.record_);
    read_ = std::move(other.read_);
    on_ = other.on_;
    memory_ = other.memory_;
    return *this;
  }
  ~device_loan() = default;

  /// Memory that is lent; valid until it is given back.
  device_span<const T> span() const noexcept { return memory_; }
  std::size_t size() const noexcept { return memory_.size(); }

  /// Completes when all receivers to which it has been sent so far have read the memory, or have ended
  /// without reading. Throws `device_error` if this PE's device fails.
  task<> done() const {
    return record_ != nullptr ? detail::loan_record::done(record_) : detail::loan_record::done_at(read_);
  }

  // For the runtime.

  /// Throws imbrex::error if it has been moved from.
  detail::attachment part() const { return detail::loan_record::part(record(), size(), sizeof(T)); }
  /// A loan whose only receiver so far reads the memory until event `read`.
  device_loan(device_span<const T> memory, device& on, shared_event read)
      : read_(std::move(read)), on_(&on), memory_(memory) {}

 private:
  const std::shared_ptr<detail::loan_record>& record() const {
    if (on_ == nullptr) detail::throw_moved_loan();
    if (record_ == nullptr) record_ = detail::loan_record::of_read(memory_.data(), *on_, read_);
    return record_;
  }

  mutable std::shared_ptr<detail::loan_record> record_;  ///< null until it has more than one receiver
  shared_event read_;                                    ///< event after which the only receiver has read
  device* on_;                                           ///< null once moved from
  device_span<const T> memory_;
};

/// Shares memory whose contents are complete after the work submitted to the stream so far. For a receiver on
/// the same device the device copies it once; paper 001 calls this the zero-copy message. Throws
/// `device_error` if the stream is of another device, or is being captured.
template <class T>
device_loan<std::remove_const_t<T>> zero_copy(device_span<T> memory, stream& filled) {
  detail::check_loan(memory.device(), filled);
  return {memory, filled};
}

}  // namespace imbrex
