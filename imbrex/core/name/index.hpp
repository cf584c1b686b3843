// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

#include <imbrex/base/narrowed.hpp>
#include <imbrex/serial/bitwise.hpp>

namespace imbrex {

/// The position of an element in an N-dimensional array, or the extents of an array: N integers, 1 <= N <= 6.
/// The last one varies fastest in the order of elements. Components are ints and accept integers of any type.
/// A value out of range of int throws imbrex::error; a constant is a compile-time error. Sums and differences
/// are componentwise. A difference is a signed offset and has the same range check. `auto [x, y] = i`
/// decomposes an index. The C library declares a function `index`: after `using namespace imbrex` write
/// `index2` for `index<2>`.
template <int N>
class index {
  static_assert(N >= 1 && N <= 6, "imbrex: an array has 1 to 6 dimensions");

 public:
  static constexpr int dimensions = N;  ///< number of coordinates

  constexpr index() = default;
  /// One coordinate for each dimension; each must fit into an `int`.
  template <std::integral... I>
    requires(sizeof...(I) == static_cast<std::size_t>(N))
  constexpr index(I... i) : values_{detail::narrow<int, detail::index_words>(i)...} {}

  constexpr int operator[](int dimension) const { return values_[static_cast<std::size_t>(dimension)]; }
  constexpr int& operator[](int dimension) { return values_[static_cast<std::size_t>(dimension)]; }
  constexpr auto operator<=>(const index&) const = default;

  constexpr index& operator+=(const index& offset) {
    for (int d = 0; d < N; ++d)
      (*this)[d] = detail::narrow<int, detail::index_words>(std::int64_t{(*this)[d]} + offset[d]);
    return *this;
  }
  constexpr index& operator-=(const index& offset) {
    for (int d = 0; d < N; ++d)
      (*this)[d] = detail::narrow<int, detail::index_words>(std::int64_t{(*this)[d]} - offset[d]);
    return *this;
  }
  friend constexpr index operator+(index a, const index& b) { return a += b; }
  friend constexpr index operator-(index a, const index& b) { return a -= b; }

  /// Supports structured bindings.
  template <std::size_t D>
  constexpr int get() const {
    return std::get<D>(values_);
  }

 private:
  std::array<int, static_cast<std::size_t>(N)> values_{};
};

/// Indices travel as their bytes.
template <int N>
inline constexpr bool enable_bitwise<index<N>> = true;

/// True if Index names places in a shape, so that arrays number their elements. A front end specialises it
/// for an index type whose number of dimensions is known at run time only. Such a type has `dimensions`,
/// operator[], `to_string` and serialization. A copy of a shape is an index with that shape's dimensions.
template <class Index>
inline constexpr bool enable_index = false;
/// Chares may have such an index.
template <int N>
inline constexpr bool enable_index<index<N>> = true;

using index1 = index<1>;  ///< index of an array with one dimension
using index2 = index<2>;  ///< index of an array with two dimensions
using index3 = index<3>;  ///< index of an array with three dimensions
using index4 = index<4>;  ///< index of an array with four dimensions
using index5 = index<5>;  ///< index of an array with five dimensions
using index6 = index<6>;  ///< index of an array with six dimensions

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

/// Writes the text of `to_string`. For fmt see <imbrex/core/name/format.hpp>.
template <int N, class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const index<N>& i) {
  return out << to_string(i).c_str();
}

/// True if the index lies within an array of this shape.
template <class Index>
  requires enable_index<Index>
constexpr bool contains(const Index& shape, const Index& i) {
  for (int d = 0; d < shape.dimensions; ++d)
    if (i[d] < 0 || i[d] >= shape[d]) return false;
  return true;
}

namespace detail {

template <class T>
inline constexpr bool is_index = enable_index<T>;
/// True for the index types of groups and of single chares: an int is an index.
template <class T>
inline constexpr bool fits_one_dimension = is_index<T> && std::is_constructible_v<T, int>;
template <class T>
inline constexpr std::size_t dimensions_of = 0;
template <int N>
inline constexpr std::size_t dimensions_of<index<N>> = static_cast<std::size_t>(N);

template <class Index>
  requires is_index<Index>
constexpr std::uint64_t linear(const Index& shape, const Index& i) {
  std::uint64_t l = 0;
  for (int d = 0; d < shape.dimensions; ++d)
    l = l * static_cast<std::uint64_t>(shape[d]) + static_cast<std::uint64_t>(i[d]);
  return l;
}

template <class Index>
  requires is_index<Index>
constexpr Index from_linear(const Index& shape, std::uint64_t l) {
  Index i = shape;
  for (int d = shape.dimensions - 1; d >= 0; --d) {
    i[d] = static_cast<int>(l % static_cast<std::uint64_t>(shape[d]));
    l /= static_cast<std::uint64_t>(shape[d]);
  }
  return i;
}

template <class Index>
  requires is_index<Index>
constexpr bool is_below_zero(const Index& shape) {
  for (int d = 0; d < shape.dimensions; ++d)
    if (shape[d] < 0) return true;
  return false;
}

/// Number of elements in an array of this shape. It is 0 if an extent is below 1, and saturated if 64 bits do
/// not hold the product.
template <class Index>
  requires is_index<Index>
constexpr std::uint64_t volume(const Index& shape) {
  std::uint64_t n = 1;
  for (int d = 0; d < shape.dimensions; ++d) {
    if (shape[d] < 1) return 0;
    if (__builtin_mul_overflow(n, static_cast<std::uint64_t>(shape[d]), &n)) return ~std::uint64_t{0};
  }
  return n;
}

}  // namespace detail
}  // namespace imbrex

template <int N>
struct std::tuple_size<imbrex::index<N>> : std::integral_constant<std::size_t, static_cast<std::size_t>(N)> {
};
template <std::size_t D, int N>
struct std::tuple_element<D, imbrex::index<N>> {
  using type = int;
};

template <int N>
struct std::hash<imbrex::index<N>> {
  std::size_t operator()(const imbrex::index<N>& i) const noexcept {
    std::uint64_t h = 0;
    for (int d = 0; d < N; ++d) h = (h ^ static_cast<std::uint32_t>(i[d])) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(h ^ (h >> 32U));
  }
};
