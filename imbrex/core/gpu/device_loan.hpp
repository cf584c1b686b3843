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
#include <imbrex/device/device_part.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/shared_event.hpp>

namespace imbrex {
namespace detail {

/// For what comes and goes with each message, from the PE's own memory.
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

/// What the owner of lent memory shares with those who are to read it. Any thread.
class loan_record {
 public:
  /// Memory that holds what is to be read at that event.
  loan_record(const void* address, device& on, shared_event filled);
  /// Memory that has been read at that event once, and may be read again.
  static std::shared_ptr<loan_record> of_read(const void* address, device& on, const shared_event& read);
  loan_record(const loan_record&) = delete;
  loan_record& operator=(const loan_record&) = delete;
  ~loan_record();

  /// A part of a message that reads the memory. `self` is this.
  static device_part part(const std::shared_ptr<loan_record>& self, std::size_t count, std::size_t size);
  /// Ends when all parts have read, or will not.
  static task<> done(std::shared_ptr<loan_record> self);
  /// Ends when that point has been reached.
  static task<> done_at(shared_event read);

 private:
  class reader_of_loan;

  struct waiter {
    std::uint32_t pe;
    reply_address address;
  };

  void end_reading(shared_event&& read) noexcept;
  bool is_read();
  /// False if all have read; else who waits is told when they have.
  bool will_tell(const waiter& who);

  const void* const address_;
  device& on_;
  const shared_event filled_;
  void* const held_;  ///< the block of the pool; null for memory that no pool has
  quick_lock lock_;
  int readers_ = 0;
  shared_event first_read_;           ///< one that was told of, and
  std::vector<shared_event> others_;  ///< the rest
  std::vector<waiter> waiting_;       ///< some may have given up
};

/// Throws `device_error` unless the memory is of the stream's device.
void check_lent(const void* device, const stream& filled);
[[noreturn]] void throw_moved_loan();

}  // namespace detail

/// Memory of a device that its owner keeps and others are given to read: an argument for parameters of type
/// `device_argument`. It may go to any number of receivers. Made by `zero_copy`.
///
/// The owner must not change the memory before `co_await loan.done()` has ended. Memory of a `device_buffer`
/// is not used for anything else before, also when the buffer is destroyed. One that has been moved from
/// lends nothing: it has no elements, is not to be sent, and its `done()` waits for no reader.
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

  device_span<const T> span() const noexcept { return memory_; }
  std::size_t size() const noexcept { return memory_.size(); }

  /// Ends when all receivers that it has been sent to so far have read it, or will not, since they have
  /// ended. Throws `device_error` if the device of this PE fails.
  task<> done() const {
    return record_ != nullptr ? detail::loan_record::done(record_) : detail::loan_record::done_at(read_);
  }

  // For the runtime.

  /// Throws imbrex::error if it has been moved from.
  detail::device_part part() const { return detail::loan_record::part(record(), size(), sizeof(T)); }
  /// Memory that its one receiver so far will have read at that event.
  device_loan(device_span<const T> memory, device& on, shared_event read)
      : read_(std::move(read)), on_(&on), memory_(memory) {}

 private:
  const std::shared_ptr<detail::loan_record>& record() const {
    if (on_ == nullptr) detail::throw_moved_loan();
    if (record_ == nullptr) record_ = detail::loan_record::of_read(memory_.data(), *on_, read_);
    return record_;
  }

  mutable std::shared_ptr<detail::loan_record> record_;  ///< null until it has more than one receiver, or
  shared_event read_;                                    ///< when that one has read
  device* on_;                                           ///< null once it has been moved from
  device_span<const T> memory_;
};

/// Lends memory that holds what is to be read when the stream has done what was submitted to it so far. On
/// the way to a receiver on the same device it is copied once, by the device; paper 001 calls this the
/// zero-copy message. Throws `device_error` if the stream is of another device, or is being captured.
template <class T>
device_loan<std::remove_const_t<T>> zero_copy(device_span<T> memory, stream& filled) {
  detail::check_lent(memory.device(), filled);
  return {memory, filled};
}

}  // namespace imbrex
