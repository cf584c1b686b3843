// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/device/attachment.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/shared_event.hpp>

namespace imbrex {
namespace detail {

/// Device memory with several owners, who only read it. The last owner returns it to the pool; before that,
/// each owner has submitted its reads. Owner's thread only.
class shared_memory {
 public:
  struct record;

  /// Empty memory.
  shared_memory() noexcept = default;
  explicit shared_memory(attachment&& owned);
  /// A second owner of the same memory. Received memory is first copied to this PE's device, to be shared
  /// there.
  shared_memory(const shared_memory& other);
  shared_memory(shared_memory&& other) noexcept = default;
  shared_memory& operator=(const shared_memory& other);
  shared_memory& operator=(shared_memory&& other) noexcept = default;
  ~shared_memory() = default;

  // These refer to this PE's device, to which memory from elsewhere is first copied: the copy is submitted
  // without a wait. They throw imbrex::error if the PE has no device, and `device_out_of_memory`.
  const void* address() const;
  const void* device() const;
  const shared_event& ready() const;
  std::size_t count() const noexcept;

  // For messages.

  /// The part to serialise for another process.
  attachment* part();
  /// An owner for another PE. A short array is then copied from its current location, without a copy on this
  /// device.
  shared_memory passed_on() const;

 private:
  const record* here() const;
  void land() const;

  mutable std::shared_ptr<record> of_;
  mutable std::unique_ptr<attachment> crossing_;
};

}  // namespace detail

/// An array in device memory that several chares read: the result of a reduction of `device_buffer`s, or the
/// content of a broadcast. Copies refer to the same array, and cost nothing. All owners on one device of a
/// process share one array; messages copy it once to each other device. The last owner returns the memory to
/// the pool. It may be destroyed as soon as its reads are submitted.
///
///     imbrex::send<&block::take>(peers(), imbrex::shared_device_buffer(std::move(weights)));
///
///     void take(const imbrex::shared_device_buffer<float>& weights) {
///       work_.wait(weights.ready());
///       work_.launch(train, weights.span(), ...);
///     }
template <class T>
class shared_device_buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "imbrex: what lies in device memory must be trivially copyable");

 public:
  using element_type = const T;
  /// For the runtime: it is copied at its first use.
  static constexpr bool is_placed_by_receiver = true;

  /// An empty array, on no device.
  shared_device_buffer() noexcept = default;
  /// Takes the buffer's contents, complete when it is ready (`device_buffer::ready_after`).
  explicit shared_device_buffer(device_buffer<T>&& owned) : memory_(std::move(*owned.part())) {}
  /// For the runtime, which creates it.
  explicit shared_device_buffer(detail::shared_memory&& of) noexcept : memory_(std::move(of)) {}

  /// The array on this PE's device. Throws imbrex::error if the PE has none, and `device_out_of_memory`.
  device_span<const T> span() const {
    return {static_cast<const T*>(memory_.address()), memory_.count(), memory_.device()};
  }
  std::size_t size() const noexcept { return memory_.count(); }
  /// The id of its device; null for an empty array.
  const void* device() const { return memory_.device(); }
  /// The event after which the contents are complete; reading streams wait for it.
  const shared_event& ready() const { return memory_.ready(); }

  /// For the runtime, which sends it.
  detail::attachment* part() { return memory_.part(); }
  /// For the runtime: a reference to the memory for the next receiver of a broadcast.
  shared_device_buffer passed_on() const { return shared_device_buffer(memory_.passed_on()); }

 private:
  detail::shared_memory memory_;
};

namespace detail {

template <class T>
inline constexpr bool stays_with_device<shared_device_buffer<T>> = true;
template <class T>
inline constexpr bool is_attachment<shared_device_buffer<T>> = true;

}  // namespace detail

/// Only within messages.
template <class T>
struct serializer<shared_device_buffer<T>> {
  static void serialize(writer& out, shared_device_buffer<T>& b) { b.part()->serialize(out); }
  static void serialize(reader& in, shared_device_buffer<T>& b) {
    detail::read_attachment(in, *b.part(), sizeof(T));
  }
};

}  // namespace imbrex
