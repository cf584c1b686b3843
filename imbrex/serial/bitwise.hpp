// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/serial/fields.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace imbrex {

class writer;
class reader;

/// Opt in for a trivially copyable type with private members. True promises that it holds no pointer and no
/// reference, and that any bytes make a valid object.
template <class T>
inline constexpr bool enable_bitwise = false;

/// Functions for a type that the program does not own and that cannot get a free function in its namespace.
/// Specialise it with
///   static void serialize(auto& ar, T& value) { ar(value.a, value.b); }
/// before the first use of T in a message.
template <class T>
struct serializer;

namespace detail {

template <class T>
concept has_serializer = requires(T& object, writer& out, reader& in) {
  serializer<T>::serialize(out, object);
  serializer<T>::serialize(in, object);
};

/// A type with a free function `void serialize(auto& ar, T& value)` in its namespace.
template <class T>
concept has_free_serialize = requires(T& object, writer& out, reader& in) {
  serialize(out, object);
  serialize(in, object);
};

template <class T>
concept has_serialize = requires(T& object, writer& out, reader& in) {
  object.serialize(out);
  object.serialize(in);
};

// Shapes of standard types whose headers this one would otherwise include.

template <class T>
concept complex_number = requires(const T& object) {
  typename T::value_type;
  object.real();
  object.imag();
} && std::is_floating_point_v<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type);

template <class T>
concept duration = requires(const T& object) {
  typename T::rep;
  typename T::period;
  object.count();
} && sizeof(T) == sizeof(typename T::rep);

template <class T>
concept time_point = requires(const T& object) {
  typename T::clock;
  typename T::duration;
  object.time_since_epoch();
} && sizeof(T) == sizeof(typename T::duration);

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
template <class T>
inline constexpr bool is_wide_integer = std::is_same_v<T, int128> || std::is_same_v<T, uint128>;
#else
template <class T>
inline constexpr bool is_wide_integer = false;
#endif

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

template <class T>
consteval bool is_bitwise();

template <class... Field>
consteval bool are_bitwise(type_list<Field...>) {
  return (is_bitwise<Field>() && ...);
}

template <class T>
consteval bool is_bitwise() {
  if constexpr (std::is_const_v<T> || std::is_volatile_v<T>)
    return false;
  else if constexpr (std::is_same_v<T, bool>)
    return false;  // 254 of its 256 byte values are undefined behaviour
  else if constexpr (std::is_arithmetic_v<T> || is_wide_integer<T>)
    return true;
  else if constexpr (std::is_enum_v<T>)
    return is_bitwise<std::underlying_type_t<T>>();
  else if constexpr (std::is_bounded_array_v<T>)
    return is_bitwise<std::remove_all_extents_t<T>>();
  else if constexpr (!std::is_class_v<T> || !std::is_trivially_copyable_v<T>)
    return false;
  else if constexpr (enable_bitwise<T>)
    return true;
  else if constexpr (has_serialize<T> || has_serializer<T> || has_free_serialize<T>)
    return false;
  else if constexpr (std::is_empty_v<T> || complex_number<T>)
    return true;
  else if constexpr (duration<T>)
    return is_bitwise<typename T::rep>();
  else if constexpr (time_point<T>)
    return is_bitwise<typename T::duration>();
  else if constexpr (is_std_array<T>)
    return is_bitwise<typename T::value_type>();
  else if constexpr (!std::is_aggregate_v<T>)
    return false;
  else {
    constexpr std::size_t bases = count_bases<T, true>();
    constexpr std::size_t count = count_initialisers<T>();
    if constexpr (count <= bases || count > max_fields || bases != count_bases<T, false>())
      return false;
    else
      return are_bitwise(decltype(field_types<count - bases>(std::declval<T&>())){});
  }
}

/// A type whose bytes have the same meaning in another process, and of which any bytes make a valid value.
/// These are numbers but not bool, enumerations (whose values are not checked), and arrays and aggregates of
/// these, to any depth.
template <class T>
concept bitwise = is_bitwise<T>();

}  // namespace detail
}  // namespace imbrex
