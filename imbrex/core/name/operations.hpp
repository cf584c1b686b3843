// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace imbrex {

/// Combines nothing: the result is the vector of all values in the order of the elements' indices (keys).
struct gather_operation {};

namespace detail {

template <class V>
inline constexpr bool is_vector = false;
template <class E>
inline constexpr bool is_vector<std::vector<E>> = true;
template <class V>
inline constexpr bool is_array = false;
template <class E, std::size_t N>
inline constexpr bool is_array<std::array<E, N>> = true;

/// True if the operation takes two Vs whole.
template <class Op, class V>
inline constexpr bool combines_whole = std::is_invocable_r_v<V, const Op&, const V&, const V&>;

/// True if it takes them whole or, of vectors and arrays, element by element.
template <class Op, class V>
consteval bool combines() {
  if constexpr (combines_whole<Op, V>) {
    return true;
  } else if constexpr (is_vector<V> || is_array<V>) {
    return combines<Op, typename V::value_type>();
  } else {
    return false;
  }
}

/// True if the operation, which is then the runtime's own, adds a value to another in place.
template <class Op, class V>
inline constexpr bool appends = requires(const Op& op, V& a, V& b) { op.append(a, b); };

/// Applies an operation, element by element for vectors and arrays that it does not take whole.
template <class Op, class V>
V combined(const Op& op, V&& a, V&& b) {
  if constexpr (appends<Op, V>) {
    op.append(a, b);
    return std::move(a);
  } else if constexpr (combines_whole<Op, V>) {
    return op(std::as_const(a), std::as_const(b));
  } else {
    if (a.size() != b.size())
      throw std::length_error("a reduction of vectors got one of " + std::to_string(a.size()) +
                              " and one of " + std::to_string(b.size()) +
                              " elements; all must have the same length");
    for (std::size_t i = 0; i < a.size(); ++i) {
      auto x = static_cast<typename V::value_type>(a[i]);
      auto y = static_cast<typename V::value_type>(b[i]);
      a[i] = combined(op, std::move(x), std::move(y));
    }
    return std::move(a);
  }
}

/// True if Op can be the operation of a reduction of Vs; says why not otherwise.
template <class Op, class V>
consteval bool operation_fits() {
  constexpr bool stateless = std::is_empty_v<Op> && std::is_default_constructible_v<Op>;
  static_assert(stateless,
                "imbrex: the operation of a reduction must have no state: it travels as a type. Use a lambda "
                "without captures "
                "or an empty struct");
  constexpr bool combinable = std::is_same_v<Op, gather_operation> || combines<Op, V>();
  static_assert(combinable, "imbrex: this operation cannot combine two values of this type into one");
  return stateless && combinable;
}

}  // namespace detail

/// Operations of reductions. They take scalars (and types of the user's with the operator in question), and
/// std::array and std::vector element by element. Any stateless function object with `V operator()(const V&,
/// const V&)`, such as a lambda without captures, is an operation too; it should be associative, since where
/// elements are placed decides about the brackets, though never about the order within a PE and among PEs.
struct sum_operation {
  template <class V>
    requires(!detail::is_vector<V> && !detail::is_array<V>) && requires(const V& a, const V& b) { a + b; }
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(a + b);
  }
};
struct product_operation {
  template <class V>
    requires(!detail::is_vector<V> && !detail::is_array<V>) && requires(const V& a, const V& b) { a* b; }
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(a * b);
  }
};
struct min_operation {
  template <class V>
    requires(!detail::is_vector<V> && !detail::is_array<V>) &&
            requires(const V& a, const V& b) { b < a ? b : a; }
  V operator()(const V& a, const V& b) const {
    return b < a ? b : a;
  }
};
struct max_operation {
  template <class V>
    requires(!detail::is_vector<V> && !detail::is_array<V>) &&
            requires(const V& a, const V& b) { a < b ? b : a; }
  V operator()(const V& a, const V& b) const {
    return a < b ? b : a;
  }
};
struct all_operation {
  template <class V>
    requires std::convertible_to<V, bool>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(static_cast<bool>(a) && static_cast<bool>(b));
  }
};
struct any_operation {
  template <class V>
    requires std::convertible_to<V, bool>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(static_cast<bool>(a) || static_cast<bool>(b));
  }
};
struct odd_operation {
  template <class V>
    requires std::convertible_to<V, bool>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(static_cast<bool>(a) != static_cast<bool>(b));
  }
};
struct bit_and_operation {
  template <std::integral V>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(a & b);
  }
};
struct bit_or_operation {
  template <std::integral V>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(a | b);
  }
};
struct bit_xor_operation {
  template <std::integral V>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(a ^ b);
  }
};

inline constexpr sum_operation sum{};
inline constexpr product_operation product{};
inline constexpr min_operation min{};
inline constexpr max_operation max{};
inline constexpr all_operation all{};  ///< logical and
inline constexpr any_operation any{};  ///< logical or
inline constexpr odd_operation odd{};  ///< logical exclusive or: true if an odd number of values is
inline constexpr bit_and_operation bit_and{};
inline constexpr bit_or_operation bit_or{};
inline constexpr bit_xor_operation bit_xor{};
inline constexpr gather_operation gather{};

}  // namespace imbrex
