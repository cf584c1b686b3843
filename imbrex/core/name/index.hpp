// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <imbrex/base/narrowed.hpp>
#include <imbrex/serial/bitwise.hpp>

namespace imbrex {

/// The place of an element in an N-dimensional array, or the extents of one: N integers, 1 <= N <= 6. The
/// last varies fastest where elements are put in order. Each is an int, made of an integer of any type: one that no int
/// holds is an imbrex::error, of a constant one at compile time.
template <int N>
class index {
  static_assert(N >= 1 && N <= 6, "imbrex: an array has 1 to 6 dimensions");

 public:
  static constexpr int dimensions = N;

  constexpr index() = default;
  template <std::integral... I>
    requires(sizeof...(I) == static_cast<std::size_t>(N))
  constexpr index(I... i) : values_{detail::narrow<int, detail::index_words>(i)...} {}

  constexpr int operator[](int dimension) const { return values_[static_cast<std::size_t>(dimension)]; }
  constexpr int& operator[](int dimension) { return values_[static_cast<std::size_t>(dimension)]; }
  constexpr auto operator<=>(const index&) const = default;

 private:
  std::array<int, static_cast<std::size_t>(N)> values_{};
};

template <int N>
inline constexpr bool enable_bitwise<index<N>> = true;

namespace detail {
std::string index_text(std::span<const int> values);
}

/// "(1, 2, 3)", or "3" in one dimension.
template <int N>
std::string to_string(const index<N>& i) {
  std::array<int, static_cast<std::size_t>(N)> values;
  for (int d = 0; d < N; ++d) values[static_cast<std::size_t>(d)] = i[d];
  return detail::index_text(values);
}

namespace detail {

template <class T>
inline constexpr bool is_index = false;
template <int N>
inline constexpr bool is_index<index<N>> = true;

template <int N>
constexpr bool contains(const index<N>& shape, const index<N>& i) {
  for (int d = 0; d < N; ++d)
    if (i[d] < 0 || i[d] >= shape[d]) return false;
  return true;
}

template <int N>
constexpr std::uint64_t linear(const index<N>& shape, const index<N>& i) {
  std::uint64_t l = 0;
  for (int d = 0; d < N; ++d) l = l * static_cast<std::uint64_t>(shape[d]) + static_cast<std::uint64_t>(i[d]);
  return l;
}

template <int N>
constexpr index<N> from_linear(const index<N>& shape, std::uint64_t l) {
  index<N> i;
  for (int d = N - 1; d >= 0; --d) {
    i[d] = static_cast<int>(l % static_cast<std::uint64_t>(shape[d]));
    l /= static_cast<std::uint64_t>(shape[d]);
  }
  return i;
}

/// Elements in an array of that shape; 0 if an extent is below 1, saturated where 64 bits do not hold the
/// product.
template <int N>
constexpr std::uint64_t volume(const index<N>& shape) {
  std::uint64_t n = 1;
  for (int d = 0; d < N; ++d) {
    if (shape[d] < 1) return 0;
    if (__builtin_mul_overflow(n, static_cast<std::uint64_t>(shape[d]), &n)) return ~std::uint64_t{0};
  }
  return n;
}

}  // namespace detail
}  // namespace imbrex

template <int N>
struct std::hash<imbrex::index<N>> {
  std::size_t operator()(const imbrex::index<N>& i) const noexcept {
    std::uint64_t h = 0;
    for (int d = 0; d < N; ++d) h = (h ^ static_cast<std::uint32_t>(i[d])) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(h ^ (h >> 32U));
  }
};
