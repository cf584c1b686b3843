// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <imbrex/base/type_name.hpp>
#include <imbrex/core/message/argument.hpp>
#include <imbrex/core/message/sender.hpp>
#include <imbrex/coro/entry_body.hpp>

namespace imbrex {

struct entry_name;

namespace detail {

template <class V>
struct mailbox_node;

/// A port: what a message brings to it is one value, which `put` takes with its reference number.
template <class P>
concept port = requires(P& p, mailbox_node<typename P::value_type>& arrived) { p.put(arrived); };

enum class member_kind { function, port };

template <class R, class C, class... P>
struct function_traits {
  static constexpr member_kind kind = member_kind::function;
  using declared_result = R;
  using result = std::remove_cvref_t<typename result_of_entry<R>::type>;
  using owner = C;
  using arguments = std::tuple<stored<P>...>;
  static constexpr std::size_t arity = sizeof...(P);
  static constexpr bool suspends = suspendable<R>;
  /// True if calling the entry twice with the same stored arguments equals calling it with two copies.
  static constexpr bool only_reads_arguments =
      ((std::is_trivially_copyable_v<std::remove_cvref_t<P>> || std::is_lvalue_reference_v<P>) && ...);

  template <class T, auto M>
  static R invoke(T& chare, arguments& input) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> R {
      return (chare.*M)(as_parameter<P>(std::get<I>(input))...);
    }(std::index_sequence_for<P...>());
  }
  template <std::size_t I>
  using parameter = std::tuple_element_t<I, std::tuple<P...>>;
};

template <class M>
struct member_traits;
template <class R, class C, class... P>
struct member_traits<R (C::*)(P...)> : function_traits<R, C, P...> {};
template <class R, class C, class... P>
struct member_traits<R (C::*)(P...) const> : function_traits<R, C, P...> {};
template <class R, class C, class... P>
struct member_traits<R (C::*)(P...) noexcept> : function_traits<R, C, P...> {};
template <class R, class C, class... P>
struct member_traits<R (C::*)(P...) const noexcept> : function_traits<R, C, P...> {};
template <class R, class C, class... P>
struct member_traits<R (C::*)(P...)&> : function_traits<R, C, P...> {};
template <class R, class C, class... P>
struct member_traits<R (C::*)(P...) const&> : function_traits<R, C, P...> {};
template <port P, class C>
struct member_traits<P C::*> {
  static constexpr member_kind kind = member_kind::port;
  using result = void;
  using owner = C;
  using value_type = typename P::value_type;
};

/// Stands for an entry of a T that calls `F()(chare, arguments...)`; see `extension::visit`.
template <class T, class F, class... A>
struct visit_entry {
  static constexpr std::string_view shown_as = type_name<F>();
};
template <class T, class F, class... A>
struct member_traits<visit_entry<T, F, A...>>
    : function_traits<std::invoke_result_t<F, T&, const A&...>, T, const A&...> {
  using base = function_traits<std::invoke_result_t<F, T&, const A&...>, T, const A&...>;

  template <class Chare, auto M>
  static auto invoke(Chare& chare, typename base::arguments& input) {
    return std::apply(
        [&](auto&... stored_arguments) { return F()(chare, as_parameter<const A&>(stored_arguments)...); },
        input);
  }
};

template <auto M>
using traits_of = member_traits<std::remove_const_t<decltype(M)>>;

template <auto M>
inline constexpr bool is_port = traits_of<M>::kind == member_kind::port;

/// True of entries that stand for entries named at run time: their first parameter is the name.
template <auto M>
inline constexpr bool takes_name = false;
template <auto M>
  requires(!is_port<M> && traits_of<M>::arity > 0)
inline constexpr bool takes_name<M> =
    std::is_same_v<std::tuple_element_t<0, typename traits_of<M>::arguments>, entry_name>;

/// True if entry M has a `sender` parameter that the argument types A leave out.
template <auto M, class... A>
inline constexpr bool lacks_sender = false;
template <auto M, class... A>
  requires(!is_port<M> && traits_of<M>::arity == sizeof...(A) + 1)
inline constexpr bool lacks_sender<M, A...> =
    std::is_same_v<std::tuple_element_t<0, typename traits_of<M>::arguments>, sender>;

// The functions below report by static_assert, in terms of the user's program, why something cannot be sent.
// They return false afterwards, so that templates whose errors would only repeat the report are not
// instantiated.

template <class Parameter, class Argument, int Number>
consteval bool argument_fits() {
  using value = stored<Parameter>;
  constexpr bool is_pointer = std::is_pointer_v<value>;
  static_assert(!is_pointer,
                "imbrex: an entry method cannot take a raw pointer: it means nothing to another process. "
                "Send a value, a "
                "std::vector, a std::unique_ptr or a proxy");
  constexpr bool writes =
      std::is_lvalue_reference_v<Parameter> && !std::is_const_v<std::remove_reference_t<Parameter>>;
  static_assert(!writes,
                "imbrex: an entry method cannot take a reference to non-const: what it writes there would be "
                "lost with the "
                "message. Return a value and use call instead of send");
  constexpr bool converts = conversion_of<Argument, value>() == conversion::implicit;
  if constexpr (is_pointer || writes) {
    return false;
  } else if constexpr (!fits_as_attachment<value, Argument, converts>()) {
    return false;
  } else {
    if constexpr (check_conversion<Number, Argument, Parameter>()) {
      check_serializable_in_message<value>();
      return serializable_in_message<value>;
    }
    return false;
  }
}

template <class Reference>
consteval bool reference_number_fits() {
  constexpr bool is_integer = std::is_integral_v<Reference> || std::is_enum_v<Reference>;
  static_assert(is_integer, "imbrex: the reference number of a message must be an integer");
  return is_integer;
}

/// True if A are valid arguments for a port of values V: a value, or a reference number and a value.
template <class V, class... A>
consteval bool port_fits() {
  constexpr bool number = sizeof...(A) == 1 || sizeof...(A) == 2;
  static_assert(number,
                "imbrex: wrong number of arguments for a mailbox or channel: give a reference number and one "
                "value, or one "
                "value");
  if constexpr (sizeof...(A) == 1) {
    return (argument_fits<V, A, 1>() && ...);
  } else if constexpr (sizeof...(A) == 2) {
    using input = std::tuple<A...>;
    constexpr bool reference = reference_number_fits<std::remove_cvref_t<std::tuple_element_t<0, input>>>();
    constexpr bool value = argument_fits<V, std::tuple_element_t<1, input>, 2>();
    return reference && value;
  } else {
    return false;
  }
}

/// True if M can receive messages: an entry, mailbox or channel of a chare.
template <auto M>
consteval bool takes_messages() {
  constexpr bool is_entry_or_port = requires { typename traits_of<M>::owner; };
  static_assert(is_entry_or_port,
                "imbrex: this is neither an entry method nor a mailbox or channel of a chare");
  return is_entry_or_port;
}

template <class T, auto M>
consteval bool is_member_of() {
  static_assert(std::is_base_of_v<typename traits_of<M>::owner, T>,
                "imbrex: this entry is not a member of the addressee's class");
  return std::is_base_of_v<typename traits_of<M>::owner, T>;
}

/// `Wanted` and `Given` appear in compiler errors.
template <int Wanted, int Given>
inline constexpr bool has_arguments = Wanted == Given;

template <int Wanted, int Given>
consteval bool check_number_of_arguments() {
  static_assert(
      has_arguments<Wanted, Given>,
      "imbrex: wrong number of arguments for this entry method: wanted and given stand in the condition. A "
      "default argument is no part of a function's type: give it, too");
  return has_arguments<Wanted, Given>;
}

/// True if entry M of a T accepts arguments of types A.
template <class T, auto M, class... A>
consteval bool entry_fits() {
  using traits = traits_of<M>;
  if constexpr (!takes_messages<M>()) {
    return false;
  } else if constexpr (!is_member_of<T, M>()) {
    return false;
  } else if constexpr (is_port<M>) {
    return port_fits<typename traits::value_type, A...>();
  } else if constexpr (lacks_sender<M, A...>) {
    return entry_fits<T, M, sender, A...>();
  } else {
    if constexpr (check_number_of_arguments<static_cast<int>(traits::arity),
                                            static_cast<int>(sizeof...(A))>()) {
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return (argument_fits<typename traits::template parameter<I>, A, static_cast<int>(I) + 1>() && ... &&
                true);
      }(std::index_sequence_for<A...>());
    } else {
      return false;
    }
  }
}

}  // namespace detail
}  // namespace imbrex
