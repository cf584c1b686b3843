// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <imbrex/device/device.hpp>
#include <imbrex/device/device_part.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/pinned_span.hpp>
#include <imbrex/device/pooled_memory.hpp>
#include <imbrex/device/shared_event.hpp>

namespace imbrex {
// In these classes `device` alone is their member function, so that g++ refuses it as the name of the type.

/// An array in a device's memory, not initialised. It may be destroyed as soon as no more work that uses it
/// will be submitted: `memory_pool` says why. Using it after it was moved from or released aborts in debug
/// builds.
///
/// A buffer can be sent to another chare, in an argument of an entry or a value of a mailbox or channel,
/// which then owns it. On the same device only its address moves. On another device of the process, or in
/// another process, its contents are copied to memory there. The sender says when they are there by
/// `ready_after`; the receiver orders its own work behind that by `stream::wait(buffer)`. Nobody waits on the
/// host.
template <class T>
class device_buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "imbrex: what lies in device memory must be trivially copyable");

 public:
  using element_type = T;

  /// Of nothing: it has no elements and is on no device.
  device_buffer() noexcept = default;
  /// Throws `device_out_of_memory`.
  device_buffer(imbrex::device& of, std::size_t size) : part_(of, size, sizeof(T)) {}

  device_span<T> span() noexcept { return {static_cast<T*>(part_.address()), size(), device()}; }
  device_span<const T> span() const noexcept {
    return {static_cast<const T*>(part_.address()), size(), device()};
  }
  std::size_t size() const noexcept { return part_.count(); }
  /// The id of the device that it is on; null if it is of nothing.
  const void* device() const noexcept { return part_.device(); }
  /// Gives the memory back now.
  void release() noexcept { part_.release(); }

  /// Says that its contents are there when the stream has done what was submitted to it so far. Throws
  /// `device_error` if the stream is of another device, or is being captured.
  device_buffer& ready_after(stream& work) & {
    part_.ready_after(work);
    return *this;
  }
  device_buffer&& ready_after(stream& work) && {
    part_.ready_after(work);
    return std::move(*this);
  }
  /// When its contents are there: what `ready_after` has said last, or the end of the copy that brought them.
  const shared_event& ready() const noexcept { return part_.ready(); }

  /// For the runtime, which carries it.
  explicit device_buffer(detail::device_part&& part) noexcept : part_(std::move(part)) {}
  detail::device_part* part() noexcept { return &part_; }

 private:
  detail::device_part part_;
};

/// An array in pinned host memory, not initialised. The device copies from and to it while the host works on.
/// Otherwise it is like `device_buffer`.
template <class T>
class pinned_buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "imbrex: what is copied to and from a device must be trivially copyable");

 public:
  /// Throws `device_out_of_memory`.
  pinned_buffer(imbrex::device& of, std::size_t size) : memory_(of, memory_kind::pinned, size, sizeof(T)) {}

  pinned_span<T> span() noexcept { return {static_cast<T*>(memory_.address()), size()}; }
  pinned_span<const T> span() const noexcept { return {static_cast<const T*>(memory_.address()), size()}; }
  T& operator[](std::size_t i) noexcept { return static_cast<T*>(memory_.address())[i]; }
  const T& operator[](std::size_t i) const noexcept { return static_cast<const T*>(memory_.address())[i]; }
  std::size_t size() const noexcept { return memory_.count(); }
  /// The id of the device that it was pinned for.
  const void* device() const noexcept { return memory_.device(); }
  /// Gives the memory back now.
  void release() noexcept { memory_.release(); }

 private:
  detail::pooled_memory memory_;
};

}  // namespace imbrex
