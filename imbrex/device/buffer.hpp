// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <imbrex/device/check.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/error.hpp>
#include <imbrex/device/pinned_span.hpp>

namespace imbrex {
// In these classes `device` alone is their member function, so that g++ refuses it as the name of the type.
namespace detail {

/// A piece of a memory pool, given back with its owner.
class pooled_memory {
 public:
  pooled_memory(imbrex::device& of, memory_kind kind, std::size_t count, std::size_t size)
      : pool_(&of.memory(kind)), device_(of.info().id) {
    if (count > std::numeric_limits<std::size_t>::max() / 2 / size)
      throw device_out_of_memory(of.info().label(), {}, "memory", std::numeric_limits<std::size_t>::max(),
                                 of.free_memory());
    address_ = pool_->take(count * size);
    count_ = count;
  }
  pooled_memory(pooled_memory&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        address_(other.address_),
        count_(std::exchange(other.count_, 0)),
        device_(other.device_) {}
  pooled_memory& operator=(pooled_memory&& other) noexcept {
    if (this == &other) return *this;
    release();
    pool_ = std::exchange(other.pool_, nullptr);
    address_ = other.address_;
    count_ = std::exchange(other.count_, 0);
    device_ = other.device_;
    return *this;
  }
  ~pooled_memory() { release(); }

  void release() noexcept {
    if (pool_ != nullptr) pool_->give_back(address_);
    pool_ = nullptr;
    count_ = 0;
  }

  void* address() const noexcept {
    require(pool_ != nullptr, "a buffer is used after it was moved from or released");
    return pool_ != nullptr ? address_ : nullptr;
  }
  std::size_t count() const noexcept { return count_; }
  const void* device() const noexcept { return device_; }

 private:
  memory_pool* pool_;
  void* address_ = nullptr;
  std::size_t count_ = 0;
  const void* device_;
};

}  // namespace detail

/// An array in a device's memory, not initialised. It may be destroyed as soon as no more work that uses it
/// will be submitted: `memory_pool` says why. Using it after it was moved from or released aborts in debug
/// builds.
template <class T>
class device_buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "imbrex: what lies in device memory must be trivially copyable");

 public:
  /// Throws `device_out_of_memory`.
  device_buffer(imbrex::device& of, std::size_t size) : memory_(of, memory_kind::device, size, sizeof(T)) {}

  device_span<T> span() noexcept { return {static_cast<T*>(memory_.address()), size(), device()}; }
  device_span<const T> span() const noexcept {
    return {static_cast<const T*>(memory_.address()), size(), device()};
  }
  std::size_t size() const noexcept { return memory_.count(); }
  /// The id of the device that it is on.
  const void* device() const noexcept { return memory_.device(); }
  /// Gives the memory back now.
  void release() noexcept { memory_.release(); }

 private:
  detail::pooled_memory memory_;
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
