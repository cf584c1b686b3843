// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the arguments of an entry lie in a message, and which may be given for them.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <imbrex/base/narrowed.hpp>
#include <imbrex/base/type_name.hpp>
#include <imbrex/core/message/owned_span.hpp>
#include <imbrex/serial/check.hpp>

namespace imbrex::detail {

/// How an argument for a parameter of type P lies in a message.
template <class P>
struct stored_argument {
  using type = std::remove_cvref_t<P>;
};
template <class E>
struct stored_argument<std::span<const E>> {
  using type = owned_span<E>;
};
template <>
struct stored_argument<std::string_view> {
  using type = std::string;
};
template <class P>
using stored = typename stored_argument<P>::type;

/// How a stored argument is given to a parameter of type P: moved where the parameter is a value, else as a
/// view.
template <class P>
decltype(auto) as_parameter(stored<P>& s) {
  if constexpr (std::is_lvalue_reference_v<P>) {
    return static_cast<P>(s);
  } else if constexpr (std::is_same_v<stored<P>, std::remove_cvref_t<P>>) {
    return std::move(s);
  } else {
    return P(s);
  }
}

/// Integers, also those of 128 bits; a bool is none.
template <class T>
inline constexpr bool is_integer = (std::is_integral_v<T> && !std::is_same_v<T, bool>) || is_wide_integer<T>;

/// What an argument of a type is for a parameter.
enum class conversion : std::uint8_t {
  implicit,    ///< as in an initialisation, `Wanted w = given;`
  none,        ///< there is none
  explicitly,  ///< there is one that has to be written
  rounded,     ///< a floating number for an integer
  tested,      ///< a number or pointer for a bool
  copied,      ///< an object that cannot be copied, and was not given away
  moved,       ///< an object that cannot be moved
};

template <class Wanted>
inline constexpr bool is_owned_span = false;
template <class E>
inline constexpr bool is_owned_span<owned_span<E>> = true;

/// True if `Given` is taken for a parameter that is stored as a `Wanted`.
template <class Given, class Wanted>
consteval bool converts_implicitly() {
  if constexpr (is_owned_span<Wanted>)  // all of its constructors are implicit, and take what users give
    return std::is_constructible_v<Wanted, Given>;
  else if constexpr (std::is_same_v<Wanted, std::string>)
    return std::is_convertible_v<Given, std::string> || std::is_convertible_v<Given, std::string_view>;
  else
    return std::is_convertible_v<Given, Wanted>;
}

template <class Given, class Wanted>
consteval conversion conversion_of() {
  using given = std::decay_t<Given>;
  constexpr bool is_number = std::is_arithmetic_v<given> || is_wide_integer<given> || std::is_enum_v<given>;
  constexpr bool is_pointer =
      std::is_pointer_v<given> || std::is_member_pointer_v<given> || std::is_null_pointer_v<given>;
  constexpr bool is_wanted = std::is_same_v<given, Wanted>;
  if constexpr (std::is_same_v<Wanted, bool> && !is_wanted && (is_number || is_pointer))
    return conversion::tested;
  else if constexpr (is_integer<Wanted> && std::is_floating_point_v<given>)
    return conversion::rounded;
  else if constexpr (converts_implicitly<Given, Wanted>())
    return conversion::implicit;
  else if constexpr (is_wanted && !std::is_move_constructible_v<Wanted>)
    return conversion::moved;
  else if constexpr (is_wanted && !std::is_copy_constructible_v<Wanted>)
    return conversion::copied;
  else if constexpr (std::is_constructible_v<Wanted, Given>)
    return conversion::explicitly;
  else
    return conversion::none;
}

/// For the text of errors: argument `Number`, counted from 1, of type `Given` fits a parameter of type
/// `Wanted`.
template <int Number, class Given, class Wanted>
inline constexpr bool argument_converts = conversion_of<Given, stored<Wanted>>() == conversion::implicit;

/// Says by static_assert why an argument cannot be given for that parameter. True if it can.
template <int Number, class Given, class Wanted>
consteval bool check_conversion() {
  using shown = std::conditional_t<std::is_rvalue_reference_v<Given>, std::remove_reference_t<Given>, Given>;
  using parameter = std::remove_cvref_t<Wanted>;
  constexpr conversion how = conversion_of<shown, stored<Wanted>>();
  constexpr bool fits = argument_converts<Number, shown, parameter>;
  if constexpr (how == conversion::tested)
    static_assert(
        argument_converts<Number, shown, parameter>,
        "imbrex: an argument is a number or a pointer where a bool is wanted: compare it, as in n != 0");
  else if constexpr (how == conversion::rounded)
    static_assert(
        argument_converts<Number, shown, parameter>,
        "imbrex: an argument is a floating number where an integer is wanted: say how to round it, as "
        "by std::lround");
  else if constexpr (how == conversion::moved)
    static_assert(
        argument_converts<Number, shown, parameter>,
        "imbrex: an argument cannot be moved, and so not into a message: send a std::unique_ptr to it");
  else if constexpr (how == conversion::copied)
    static_assert(argument_converts<Number, shown, parameter>,
                  "imbrex: an argument cannot be copied into a message: give it away by std::move");
  else if constexpr (how == conversion::explicitly)
    static_assert(
        argument_converts<Number, shown, parameter>,
        "imbrex: an argument has another type, from which only an explicit constructor makes the one "
        "that is wanted: write that where you send");
  else
    static_assert(argument_converts<Number, shown, parameter>,
                  "imbrex: an argument has the wrong type for this entry method (they are counted from 1)");
  return fits;
}

/// The integer that an argument is, or its enumeration's.
template <class Given>
struct given_integer {
  using type = Given;
};
template <class Given>
  requires std::is_enum_v<Given>
struct given_integer<Given> {
  using type = std::underlying_type_t<Given>;
};

/// True if some integers of type `Given` are none of type `Wanted`.
template <class Given, class Wanted>
consteval bool may_be_lost() {
  using integer = typename given_integer<Given>::type;
  if constexpr (!is_integer<Wanted> || !is_integer<integer>)
    return false;
  else
    return !always_fits<Wanted, integer>;
}

std::string integer_text(std::int64_t value);
std::string integer_text(std::uint64_t value);
#ifdef __SIZEOF_INT128__
std::string integer_text(int128 value);
std::string integer_text(uint128 value);
#endif
template <class Integer>
std::string text_of_integer(Integer value) {
  if constexpr (is_wide_integer<Integer>)
    return integer_text(value);
  else if constexpr (can_be_negative<Integer>)
    return integer_text(static_cast<std::int64_t>(value));
  else
    return integer_text(static_cast<std::uint64_t>(value));
}

/// Throws imbrex::error: the integer that is an argument of an entry, or of a port, is none of the type that
/// is wanted.
[[noreturn]] void throw_lost_integer(std::string_view chare_name, std::string_view entry_name,
                                     std::size_t number, const std::string& value, std::string_view given,
                                     std::string_view wanted);

/// Throws imbrex::error if an integer that is given as argument `number`, counted from 1, is none of the type
/// that is wanted. Where all are, nothing is done.
template <class Wanted, class Given>
void check_integer([[maybe_unused]] std::string_view chare_name, [[maybe_unused]] std::string_view entry_name,
                   [[maybe_unused]] std::size_t number, [[maybe_unused]] const Given& given) {
  if constexpr (may_be_lost<Given, Wanted>()) {
    const auto value = static_cast<typename given_integer<Given>::type>(given);
    if (!fits<Wanted>(value)) [[unlikely]]
      throw_lost_integer(chare_name, entry_name, number, text_of_integer(value), type_name<Given>(),
                         type_name<Wanted>());
  }
}

}  // namespace imbrex::detail
