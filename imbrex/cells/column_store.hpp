// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace imbrex::cells::detail {

/// Arrays of equal length in one piece of memory, one after the other. Cells have few elements, and a loop
/// over many cells finds their columns together.
template <class... C>
class column_store {
  static_assert(((std::is_trivially_copyable_v<C> && alignof(C) <= 8) && ...),
                "imbrex: the columns of an element are numbers, or others that are copied by their bytes");

 public:
  static constexpr std::size_t columns = sizeof...(C);
  template <std::size_t I>
  using column_type = std::tuple_element_t<I, std::tuple<C...>>;

  column_store() = default;
  column_store(const column_store& other) {
    reserve(other.size_);
    size_ = other.size_;
    copy_from(other.memory_, other.capacity_, std::make_index_sequence<columns>());
  }
  column_store(column_store&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  column_store& operator=(column_store other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~column_store() { release(memory_); }

  std::size_t size() const { return size_; }
  template <std::size_t I>
  column_type<I>* data() {
    return column<column_type<I>, I>(memory_, capacity_);
  }
  template <std::size_t I>
  const column_type<I>* data() const {
    return column<column_type<I>, I>(memory_, capacity_);
  }

  void push(const C&... values) {
    if (size_ == capacity_) reserve(size_ + size_ / 4 + 1);
    set(size_++, values...);
  }
  void set(std::size_t i, const C&... values) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((data<I>()[i] = values), ...);
    }(std::make_index_sequence<columns>());
  }
  void shift(std::size_t from, std::size_t to) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((data<I>()[to] = data<I>()[from]), ...);
    }(std::make_index_sequence<columns>());
  }
  void truncate(std::size_t n) { size_ = n; }
  void assign(std::size_t n, const C&... values) {
    if (n > capacity_) reserve(n);
    size_ = n;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::fill_n(data<I>(), n, values), ...);
    }(std::make_index_sequence<columns>());
  }

  void serialize(auto& ar) {
    std::tuple<std::vector<C>...> all;
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) {
      ar(all);
      const std::size_t n = std::get<0>(all).size();
      truncate(0);
      reserve(n);
      size_ = n;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (std::copy_n(std::get<I>(all).data(), std::min(n, std::get<I>(all).size()), data<I>()), ...);
      }(std::make_index_sequence<columns>());
    } else {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (std::get<I>(all).assign(data<I>(), data<I>() + size_), ...);
      }(std::make_index_sequence<columns>());
      ar(all);
    }
  }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t bytes = (sizeof(C) + ...);

  template <std::size_t I>
  static constexpr std::size_t bytes_before() {
    constexpr std::size_t sizes[] = {sizeof(C)...};
    std::size_t before = 0;
    for (std::size_t i = 0; i < I; ++i) before += sizes[i];
    return before;
  }
  template <class V, std::size_t I, class Byte>
  static auto column(Byte* memory, std::size_t capacity) {
    using pointer = std::conditional_t<std::is_const_v<Byte>, const V*, V*>;
    return reinterpret_cast<pointer>(memory + capacity * bytes_before<I>());
  }
  static void release(std::byte* memory) {
    if (memory != nullptr) ::operator delete(memory, std::align_val_t{line});
  }
  template <std::size_t... I>
  void copy_from(const std::byte* memory, std::size_t capacity, std::index_sequence<I...>) {
    if (size_ == 0) return;
    (std::memcpy(data<I>(), column<column_type<I>, I>(memory, capacity), size_ * sizeof(C)), ...);
  }
  void reserve(std::size_t n) {
    if (n <= capacity_) return;
    const std::size_t room = (n + 7) / 8 * 8;
    auto* const before =
        std::exchange(memory_, static_cast<std::byte*>(::operator new(room * bytes, std::align_val_t{line})));
    const std::size_t capacity = std::exchange(capacity_, room);
    copy_from(before, capacity, std::make_index_sequence<columns>());
    release(before);
  }

  std::byte* memory_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace imbrex::cells::detail
