// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/device/device_part.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/shared_event.hpp>

namespace imbrex {
namespace detail {

/// Memory of a device that several own, who only read it. It goes back to the pool with the last of them; by
/// then each has submitted what reads it. Its owner's thread.
class shared_memory {
 public:
  struct record;

  /// Of nothing.
  shared_memory() noexcept = default;
  explicit shared_memory(device_part&& owned);
  /// Of the same memory. What has come to this PE is first brought to its device, so that all here share it.
  shared_memory(const shared_memory& other);
  shared_memory(shared_memory&& other) noexcept = default;
  shared_memory& operator=(const shared_memory& other);
  shared_memory& operator=(shared_memory&& other) noexcept = default;
  ~shared_memory() = default;

  // Where it is on this PE's device. What has come from elsewhere is brought there first: the copy is
  // ordered, nobody waits. Throws imbrex::error if the PE has no device, and `device_out_of_memory`.
  const void* address() const;
  const void* device() const;
  const shared_event& ready() const;
  std::size_t count() const noexcept;

  // For messages.

  /// What crosses to another process.
  device_part* part();
  /// A copy for another PE, to which a short one goes from where it is, so that it need not be here first.
  shared_memory passed_on() const;

 private:
  const record* here() const;
  void land() const;

  mutable std::shared_ptr<record> of_;
  mutable std::unique_ptr<device_part> crossing_;
};

}  // namespace detail

/// An array in a device's memory that several chares read: what a reduction of `device_buffer`s comes to, and
/// what a broadcast brings. Copies are of the same array, and cost nothing. All who have it on one device of
/// a process have it in one place: messages copy it once to each other device. The memory goes back to the
/// pool with the last copy, which may be destroyed as soon as what reads it is submitted.
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

  /// Of nothing: it has no elements and is on no device.
  shared_device_buffer() noexcept = default;
  /// Of what the buffer holds when it is ready (`device_buffer::ready_after`).
  explicit shared_device_buffer(device_buffer<T>&& owned) : memory_(std::move(*owned.part())) {}
  /// For the runtime, which has made it.
  explicit shared_device_buffer(detail::shared_memory&& of) noexcept : memory_(std::move(of)) {}

  /// On the device of this PE. Throws imbrex::error if it has none, and `device_out_of_memory`.
  device_span<const T> span() const {
    return {static_cast<const T*>(memory_.address()), memory_.count(), memory_.device()};
  }
  std::size_t size() const noexcept { return memory_.count(); }
  /// The id of the device that it is on; null if it is of nothing.
  const void* device() const { return memory_.device(); }
  /// When its contents are there: streams that read it wait for that.
  const shared_event& ready() const { return memory_.ready(); }

  /// For the runtime, which carries it.
  detail::device_part* part() { return memory_.part(); }
  shared_device_buffer passed_on() const { return shared_device_buffer(memory_.passed_on()); }

 private:
  detail::shared_memory memory_;
};

namespace detail {

template <class T>
inline constexpr bool stays_with_device<shared_device_buffer<T>> = true;
template <class T>
inline constexpr bool is_device_memory<shared_device_buffer<T>> = true;
template <class T>
inline constexpr bool lands_by_itself<shared_device_buffer<T>> = false;  // once it is looked at

}  // namespace detail

/// In a message alone.
template <class T>
struct serializer<shared_device_buffer<T>> {
  static void serialize(writer& out, shared_device_buffer<T>& b) { b.part()->serialize(out); }
  static void serialize(reader& in, shared_device_buffer<T>& b) {
    detail::read_device_part(in, *b.part(), sizeof(T));
  }
};

}  // namespace imbrex
