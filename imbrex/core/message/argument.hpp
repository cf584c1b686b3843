// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stores the arguments of an entry in a message and checks which arguments a parameter accepts.

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

/// The type in which a message stores an argument for a parameter of type P.
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

/// Passes a stored argument to a parameter of type P: moved if the parameter is a value, else as a view.
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

/// Integers, including those of 128 bits; not bool.
template <class T>
inline constexpr bool is_integer = (std::is_integral_v<T> && !std::is_same_v<T, bool>) || is_wide_integer<T>;

/// The way an argument type converts to a parameter type.
enum class conversion : std::uint8_t {
  implicit,    ///< implicitly, as in `Parameter w = argument;`
  none,        ///< no conversion
  explicitly,  ///< only by an explicit conversion in the caller's code
  rounded,     ///< a floating-point number for an integer
  tested,      ///< a number or pointer for a bool
  copied,      ///< an lvalue of a type that cannot be copied
  moved,       ///< an object of a type that cannot be moved
};

template <class Parameter>
inline constexpr bool is_owned_span = false;
template <class E>
inline constexpr bool is_owned_span<owned_span<E>> = true;

/// True if an `Argument` is accepted for a parameter that is stored as a `Parameter`.
template <class Argument, class Parameter>
consteval bool converts_implicitly() {
  if constexpr (is_owned_span<Parameter>)  // all of its constructors are implicit and accept what users pass
    return std::is_constructible_v<Parameter, Argument>;
  else if constexpr (std::is_same_v<Parameter, std::string>)
    return std::is_convertible_v<Argument, std::string> || std::is_convertible_v<Argument, std::string_view>;
  else
    return std::is_convertible_v<Argument, Parameter>;
}

template <class Argument, class Parameter>
consteval conversion conversion_of() {
  using argument = std::decay_t<Argument>;
  constexpr bool is_number =
      std::is_arithmetic_v<argument> || is_wide_integer<argument> || std::is_enum_v<argument>;
  constexpr bool is_pointer =
      std::is_pointer_v<argument> || std::is_member_pointer_v<argument> || std::is_null_pointer_v<argument>;
  constexpr bool is_same = std::is_same_v<argument, Parameter>;
  if constexpr (std::is_same_v<Parameter, bool> && !is_same && (is_number || is_pointer))
    return conversion::tested;
  else if constexpr (is_integer<Parameter> && std::is_floating_point_v<argument>)
    return conversion::rounded;
  else if constexpr (converts_implicitly<Argument, Parameter>())
    return conversion::implicit;
  else if constexpr (is_same && !std::is_move_constructible_v<Parameter>)
    return conversion::moved;
  else if constexpr (is_same && !std::is_copy_constructible_v<Parameter>)
    return conversion::copied;
  else if constexpr (std::is_constructible_v<Parameter, Argument>)
    return conversion::explicitly;
  else
    return conversion::none;
}

/// True if an argument of type `Argument` fits a parameter of type `Parameter`. `Number`, counted from 1,
/// appears in compiler errors only.
template <int Number, class Argument, class Parameter>
inline constexpr bool argument_converts =
    conversion_of<Argument, stored<Parameter>>() == conversion::implicit;

/// Reports by static_assert why an argument does not fit the parameter. True if it fits.
template <int Number, class Argument, class Parameter>
consteval bool check_conversion() {
  using shown =
      std::conditional_t<std::is_rvalue_reference_v<Argument>, std::remove_reference_t<Argument>, Argument>;
  using parameter = std::remove_cvref_t<Parameter>;
  constexpr conversion how = conversion_of<shown, stored<Parameter>>();
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

/// The integer type of an argument: the type itself, or the underlying type of an enumeration.
template <class Argument>
struct argument_integer {
  using type = Argument;
};
template <class Argument>
  requires std::is_enum_v<Argument>
struct argument_integer<Argument> {
  using type = std::underlying_type_t<Argument>;
};

/// True if type `Parameter` cannot represent all integers of type `Argument`.
template <class Argument, class Parameter>
consteval bool may_be_lost() {
  using integer = typename argument_integer<Argument>::type;
  if constexpr (!is_integer<Parameter> || !is_integer<integer>)
    return false;
  else
    return !always_fits<Parameter, integer>;
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

/// Throws imbrex::error: an integer argument of an entry or port is out of range of the parameter's type.
[[noreturn]] void throw_lost_integer(std::string_view chare_name, std::string_view entry_name,
                                     std::size_t number, const std::string& value, std::string_view argument,
                                     std::string_view parameter);

/// Throws imbrex::error if the integer argument `number`, counted from 1, is out of range of type
/// `Parameter`. Compiles to nothing if all values fit.
template <class Parameter, class Argument>
void check_integer([[maybe_unused]] std::string_view chare_name, [[maybe_unused]] std::string_view entry_name,
                   [[maybe_unused]] std::size_t number, [[maybe_unused]] const Argument& argument) {
  if constexpr (may_be_lost<Argument, Parameter>()) {
    const auto value = static_cast<typename argument_integer<Argument>::type>(argument);
    if (!fits<Parameter>(value)) [[unlikely]]
      throw_lost_integer(chare_name, entry_name, number, text_of_integer(value), type_name<Argument>(),
                         type_name<Parameter>());
  }
}

}  // namespace imbrex::detail
