// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

namespace imbrex {

/// A view of an array in pinned host memory. Streams copy from and to no other host memory, so that no copy
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
  /// The part from `first` on. `first + count` may not exceed `size()`; if assertions are enabled it aborts
  /// otherwise.
  constexpr pinned_span subspan(std::size_t first, std::size_t count) const noexcept {
    assert(first <= size_ && count <= size_ - first && "imbrex: the subspan ends outside of the span");
    return {data_ + first, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace imbrex
