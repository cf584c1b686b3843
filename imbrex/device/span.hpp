// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace imbrex {

/// A view of an array in a device's memory, as kernels take it. The host may not look inside. It is a type of
/// its own, so that host and device memory cannot be mixed up; `T` may be const, as in `std::span`.
template <class T>
class device_span {
 public:
  using element_type = T;

  constexpr device_span() = default;
  /// `device` is its `device_info::id`.
  constexpr device_span(T* data, std::size_t size, const void* device) noexcept
      : data_(data), size_(size), device_(device) {}
  constexpr operator device_span<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data_, size_, device_};
  }

  /// An address on the device, for kernels.
  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  /// The id of the device that the memory is on; null for a view of nothing.
  constexpr const void* device() const noexcept { return device_; }
  /// `first + count` may not exceed `size()`.
  constexpr device_span subspan(std::size_t first, std::size_t count) const noexcept {
    return {data_ + first, count, device_};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  const void* device_ = nullptr;
};

/// A view of an array in pinned host memory, the only host memory that streams copy from and to: so no copy
/// waits for the operating system's pages. The host uses it as a `std::span`.
template <class T>
class pinned_span {
 public:
  using element_type = T;

  constexpr pinned_span() = default;
  /// For `pinned_buffer`; the memory must be pinned.
  constexpr pinned_span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  constexpr operator pinned_span<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data_, size_};
  }
  constexpr operator std::span<T>() const noexcept { return {data_, size_}; }

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  /// `first + count` may not exceed `size()`.
  constexpr pinned_span subspan(std::size_t first, std::size_t count) const noexcept {
    return {data_ + first, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace imbrex
