// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <imbrex/device/attachment.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/pinned_span.hpp>
#include <imbrex/device/pooled_memory.hpp>
#include <imbrex/device/shared_event.hpp>

namespace imbrex {
// In these classes an unqualified `device` would be their member function; g++ refuses it as the name of the
// type.

/// An array in a device's memory, not initialised. It may be destroyed as soon as no more work that uses it
/// will be submitted; see `memory_pool`. Use after a move or a release aborts in debug builds.
///
/// A buffer can be sent to another chare: in an argument of an entry, or a value of a mailbox or channel. The
/// receiver then owns it. On the same device only its address is sent. To another device of the process, or
/// to another process, its contents are copied. The sender marks by `ready_after` when the contents are
/// complete. The receiver orders its own work after that by `stream::wait(buffer)`. Neither blocks a host
/// thread.
template <class T>
class device_buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "imbrex: what lies in device memory must be trivially copyable");

 public:
  using element_type = T;

  /// An empty buffer without a device.
  device_buffer() noexcept = default;
  /// Throws `device_out_of_memory`.
  device_buffer(imbrex::device& of, std::size_t size) : part_(of, size, sizeof(T)) {}

  /// All elements, for kernels and copies.
  device_span<T> span() noexcept { return {static_cast<T*>(part_.address()), size(), device()}; }
  device_span<const T> span() const noexcept {
    return {static_cast<const T*>(part_.address()), size(), device()};
  }
  std::size_t size() const noexcept { return part_.count(); }
  /// The id of its device; null for an empty buffer.
  const void* device() const noexcept { return part_.device(); }
  /// Frees the memory now.
  void release() noexcept { part_.release(); }

  /// Marks its contents as complete once the work submitted so far to the stream is done. Throws
  /// `device_error` if the stream is of another device, or is being captured.
  device_buffer& ready_after(stream& work) & {
    part_.ready_after(work);
    return *this;
  }
  device_buffer&& ready_after(stream& work) && {
    part_.ready_after(work);
    return std::move(*this);
  }
  /// The point at which its contents are complete: the last `ready_after`, or the end of the copy that
  /// brought them.
  const shared_event& ready() const noexcept { return part_.ready(); }

  /// Converts from and to the part that the runtime sends.
  explicit device_buffer(detail::attachment&& part) noexcept : part_(std::move(part)) {}
  detail::attachment* part() noexcept { return &part_; }  ///< Memory as a part of a message.

 private:
  detail::attachment part_;
};

/// An array in pinned host memory, not initialised. The device copies from and to it while the host works on.
/// Otherwise it is like `device_buffer`, but it is no argument of an entry.
template <class T>
class pinned_buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "imbrex: what is copied to and from a device must be trivially copyable");

 public:
  /// An empty buffer without a device.
  pinned_buffer() noexcept = default;
  /// Throws `device_out_of_memory`.
  pinned_buffer(imbrex::device& of, std::size_t size) : memory_(of, memory_kind::pinned, size, sizeof(T)) {}

  /// All elements; the host may access them while no copy does.
  pinned_span<T> span() noexcept { return {static_cast<T*>(memory_.address()), size()}; }
  pinned_span<const T> span() const noexcept { return {static_cast<const T*>(memory_.address()), size()}; }
  T& operator[](std::size_t i) noexcept { return static_cast<T*>(memory_.address())[i]; }
  const T& operator[](std::size_t i) const noexcept { return static_cast<const T*>(memory_.address())[i]; }
  std::size_t size() const noexcept { return memory_.count(); }
  /// The id of the device for which it was pinned.
  const void* device() const noexcept { return memory_.device(); }
  /// Frees the memory now.
  void release() noexcept { memory_.release(); }

  /// For the runtime.
  detail::pooled_memory& memory() noexcept { return memory_; }

 private:
  detail::pooled_memory memory_;
};

}  // namespace imbrex
