// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>

namespace imbrex {

/// A view of an array in a device's memory, as kernels take it. The host must not access the elements. It is
/// a type of its own, so that host and device memory cannot be confused; `T` may be const, as in `std::span`.
///
/// This header is C++17, for the device's compilers.
template <class T>
class device_span {
 public:
  using element_type = T;

  constexpr device_span() = default;
  /// `device`: the device's `device_info::id`.
  constexpr device_span(T* data, std::size_t size, const void* device) noexcept
      : data_(data), size_(size), device_(device) {}
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
  constexpr device_span(const device_span<U>& other) noexcept  // NOLINT: as std::span
      : data_(other.data()), size_(other.size()), device_(other.device()) {}

  /// An address on the device, for kernels.
  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  /// The id of the memory's device; null for an empty view.
  constexpr const void* device() const noexcept { return device_; }
  /// The part from `first` on. `first + count` may not exceed `size()`; if assertions are enabled it aborts
  /// otherwise.
  constexpr device_span subspan(std::size_t first, std::size_t count) const noexcept {
    assert(first <= size_ && count <= size_ - first && "imbrex: the subspan ends outside of the span");
    return {data_ + first, count, device_};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  const void* device_ = nullptr;
};

}  // namespace imbrex
