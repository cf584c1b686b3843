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

/// Does not combine: the result is the vector of all values, ordered by the elements' indices (keys).
struct gather_operation {};

struct sum_operation;
struct product_operation;
struct min_operation;
struct max_operation;
struct all_operation;
struct any_operation;
struct odd_operation;
struct bit_and_operation;
struct bit_or_operation;
struct bit_xor_operation;

/// Combines by Op, with brackets that depend only on the elements' keys: see `by_key`.
template <class Op>
struct by_key_operation {};

namespace detail {

template <class V>
inline constexpr bool is_vector = false;
template <class E>
inline constexpr bool is_vector<std::vector<E>> = true;
template <class V>
inline constexpr bool is_array = false;
template <class E, std::size_t N>
inline constexpr bool is_array<std::array<E, N>> = true;

/// True if the operation takes two whole Vs.
template <class Op, class V>
inline constexpr bool combines_whole = std::is_invocable_r_v<V, const Op&, const V&, const V&>;

template <class Op>
inline constexpr bool is_by_key = false;
template <class Op>
inline constexpr bool is_by_key<by_key_operation<Op>> = true;

/// The element type of a V whose memory the host cannot read, and which is combined elsewhere. Specialised
/// next to such types, with functions that check the operation. void: a V is ordinary host data.
template <class V>
struct combined_elsewhere {
  using type = void;
};
/// True if the operation has its own function for elements E in such memory.
template <class Op, class E>
inline constexpr bool combines_elsewhere = false;

/// True if the operation takes whole Vs or, for vectors and arrays, their elements.
template <class Op, class V>
consteval bool combines() {
  using element = typename combined_elsewhere<V>::type;
  if constexpr (!std::is_void_v<element>) {
    return combines_elsewhere<Op, element> || combines_whole<Op, element>;
  } else if constexpr (combines_whole<Op, V>) {
    return true;
  } else if constexpr (is_vector<V> || is_array<V>) {
    return combines<Op, typename V::value_type>();
  } else {
    return false;
  }
}

/// True if the operation adds one value to another in place. Only operations of the runtime do so.
template <class Op, class V>
inline constexpr bool appends = requires(const Op& op, V& a, V& b) { op.append(a, b); };

/// Applies an operation; element by element for vectors and arrays that it does not take whole.
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

/// The operation that combines two values; for a reduction by key the inner operation.
template <class Op>
struct combining_operation {
  using type = Op;
};
template <class Op>
struct combining_operation<by_key_operation<Op>> {
  using type = Op;
};

/// The argument type of an operation: for vectors and arrays their element, unless the operation takes them
/// whole.
template <class Op, class V>
struct combined_value {
  using type = V;
};
template <class Op, class V>
  requires(!combines_whole<Op, V> && (is_vector<V> || is_array<V>))
struct combined_value<Op, V> : combined_value<Op, typename V::value_type> {};
template <class Op, class V>
  requires(!std::is_void_v<typename combined_elsewhere<V>::type>)
struct combined_value<Op, V> : combined_elsewhere<V> {};

/// True if operation Op makes one V of two. The name appears in compiler errors.
template <class Op, class V>
inline constexpr bool can_combine = std::is_same_v<Op, gather_operation> || combines<Op, V>();

/// Reports by static_assert why Op cannot make one V of two.
template <class Op, class V>
consteval void refuse_combination() {
  if constexpr (std::is_same_v<Op, sum_operation>)
    static_assert(can_combine<Op, V>,
                  "imbrex: `sum` cannot combine two values of this type: it has no operator +");
  else if constexpr (std::is_same_v<Op, product_operation>)
    static_assert(can_combine<Op, V>,
                  "imbrex: `product` cannot combine two values of this type: it has no operator *");
  else if constexpr (std::is_same_v<Op, min_operation> || std::is_same_v<Op, max_operation>)
    static_assert(can_combine<Op, V>,
                  "imbrex: `min` and `max` cannot combine two values of this type: it has no operator <");
  else if constexpr (std::is_same_v<Op, all_operation> || std::is_same_v<Op, any_operation> ||
                     std::is_same_v<Op, odd_operation>)
    static_assert(can_combine<Op, V>,
                  "imbrex: `all`, `any` and `odd` cannot combine two values of this type: it is no bool");
  else if constexpr (std::is_same_v<Op, bit_and_operation> || std::is_same_v<Op, bit_or_operation> ||
                     std::is_same_v<Op, bit_xor_operation>)
    static_assert(
        can_combine<Op, V>,
        "imbrex: `bit_and`, `bit_or` and `bit_xor` cannot combine two values of this type: it is no integer");
  else
    static_assert(can_combine<Op, V>,
                  "imbrex: this operation cannot combine two values of this type: it needs a const `V "
                  "operator()(const V&, const V&)`");
}

/// True if Op can be the operation of a reduction of Vs; otherwise a static_assert says why not.
template <class Op, class V>
consteval bool operation_fits() {
  using combining = typename combining_operation<Op>::type;
  static_assert(
      std::is_class_v<combining>,
      "imbrex: a reduction needs an operation, before the arguments of an entry: imbrex::sum, for example");
  constexpr bool stateless = std::is_empty_v<combining> && std::is_default_constructible_v<combining>;
  static_assert(stateless || !std::is_class_v<combining>,
                "imbrex: the operation of a reduction must have no state: it travels as a type. Use a lambda "
                "without captures or an empty struct");
  constexpr bool is_here = std::is_void_v<typename combined_elsewhere<V>::type>;
  constexpr bool is_ordered = is_by_key<Op> || std::is_same_v<Op, gather_operation>;
  if constexpr (!is_here) combined_elsewhere<V>::template check_order<is_ordered>();
  if constexpr (stateless && !can_combine<combining, V>)
    refuse_combination<combining, typename combined_value<combining, V>::type>();
  return stateless && can_combine<combining, V> && (is_here || !is_ordered);
}

/// True if Op can be the operation of a scan or a reduce_scatter of Vs; otherwise a static_assert says why
/// not.
template <class Op, class V>
consteval bool order_free_operation_fits() {
  static_assert(!is_by_key<Op>,
                "imbrex: by_key is for all_reduce and reduce: combine with the operation itself");
  constexpr bool is_here = std::is_void_v<typename combined_elsewhere<V>::type>;
  if constexpr (!is_here) combined_elsewhere<V>::template refuse<Op>();
  if constexpr (is_by_key<Op> || !is_here)
    return false;
  else
    return operation_fits<Op, V>();
}

}  // namespace detail

/// Operations of reductions. They take scalars, user types with the operator, and std::array and std::vector,
/// which they combine element by element. Any stateless function object with `V operator()(const V&, const
/// V&)`, such as a lambda without captures, is an operation too. It should be associative: the placement of
/// the elements determines the brackets, but never the order within a PE and among PEs.
struct sum_operation {
  template <class V>
    requires(!detail::is_vector<V> && !detail::is_array<V>) && requires(const V& a, const V& b) { a + b; }
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(a + b);
  }
};
/// Multiplies the values.
struct product_operation {
  template <class V>
    requires(!detail::is_vector<V> && !detail::is_array<V>) && requires(const V& a, const V& b) { a* b; }
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(a * b);
  }
};
/// Keeps the smallest value.
struct min_operation {
  template <class V>
    requires(!detail::is_vector<V> && !detail::is_array<V>) &&
            requires(const V& a, const V& b) { b < a ? b : a; }
  V operator()(const V& a, const V& b) const {
    return b < a ? b : a;
  }
};
/// Keeps the largest value.
struct max_operation {
  template <class V>
    requires(!detail::is_vector<V> && !detail::is_array<V>) &&
            requires(const V& a, const V& b) { a < b ? b : a; }
  V operator()(const V& a, const V& b) const {
    return a < b ? b : a;
  }
};
/// True if each value is.
struct all_operation {
  template <class V>
    requires std::convertible_to<V, bool>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(static_cast<bool>(a) && static_cast<bool>(b));
  }
};
/// True if one value is.
struct any_operation {
  template <class V>
    requires std::convertible_to<V, bool>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(static_cast<bool>(a) || static_cast<bool>(b));
  }
};
/// True if an odd number of values is.
struct odd_operation {
  template <class V>
    requires std::convertible_to<V, bool>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(static_cast<bool>(a) != static_cast<bool>(b));
  }
};
/// Keeps the bits that all values have.
struct bit_and_operation {
  template <std::integral V>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(a & b);
  }
};
/// Keeps the bits that any value has.
struct bit_or_operation {
  template <std::integral V>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(a | b);
  }
};
/// Keeps the bits that an odd number of values has.
struct bit_xor_operation {
  template <std::integral V>
  V operator()(const V& a, const V& b) const {
    return static_cast<V>(a ^ b);
  }
};

inline constexpr sum_operation sum{};          ///< adds numbers, or vectors element by element
inline constexpr product_operation product{};  ///< multiplies numbers, or vectors element by element
inline constexpr min_operation min{};
inline constexpr max_operation max{};
inline constexpr all_operation all{};  ///< logical and
inline constexpr any_operation any{};  ///< logical or
inline constexpr odd_operation odd{};  ///< logical exclusive or: true if the number of true values is odd
inline constexpr bit_and_operation bit_and{};  ///< keeps the bits that all integers have
inline constexpr bit_or_operation bit_or{};    ///< keeps the bits that any integer has
inline constexpr bit_xor_operation bit_xor{};  ///< keeps the bits that an odd number of integers has
inline constexpr gather_operation gather{};    ///< collects the values in a vector, in the order of the keys

/// The operation `op` of an all_reduce or a reduce, in an order that depends only on the indices (keys) of
/// the participating elements. A result has the same bits on any number of PEs and processes, wherever the
/// elements are and whatever has migrated. The tree of combination is binary, over the bits of an element's
/// linear index in its array's shape. Indices that differ in the lowest bit are combined first, those that
/// differ in the highest last. Elements with keys of other types are numbered in key order.
///
/// A PE combines whole subtrees that it has, and sends the other values uncombined. Elements placed in blocks
/// cost little more than in the free order. Nearly all values of randomly placed elements are sent to the
/// first PE.
template <class Op>
constexpr by_key_operation<Op> by_key(Op) {
  static_assert(!std::is_same_v<Op, gather_operation>, "imbrex: gather is in the order of keys by itself");
  return {};
}

}  // namespace imbrex
