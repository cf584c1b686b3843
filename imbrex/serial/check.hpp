// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the first reason why a type cannot be serialised, at compile time, and reports it in one line.

#include <imbrex/serial/kinds.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace imbrex {
namespace detail {

struct no_problem {};

/// `Type` cannot be serialised. It is reached by field number `Field`, from 1, of the aggregate `Owner`.
template <template <class...> class Reason, class Type, class Owner = void, std::size_t Field = 0>
struct problem {};

// Types that only serve for their names in messages: field number `Number`, from 1, of `Owner`; and its
// address in a fictitious object.
template <class Owner, std::size_t Number>
struct field_of;
template <class Owner, auto* Address>
struct named_field_of;

/// An object of T that is never made, for the addresses of its fields.
template <class T>
union unused_object {
  constexpr unused_object() : none{} {}
  constexpr ~unused_object() {}
  char none;
  T value;
};
template <class T>
inline constinit unused_object<T> object{};

template <class T, std::size_t Number>
consteval auto address_of_field() {
  constexpr std::size_t fields = count_initialisers<T>() - count_bases<T, true>();
  return visit_fields<fields>(object<T>.value, [](auto&... field) {
    return std::get<Number - 1>(std::tuple<decltype(&field)...>(&field...));
  });
}

template <class T, std::size_t Number>
consteval auto describe_field() {
  if constexpr (requires { typename named_field_of<T, address_of_field<T, Number>()>; })
    return std::type_identity<named_field_of<T, address_of_field<T, Number>()>>{};
  else
    return std::type_identity<field_of<T, Number>>{};
}

template <class... Place>
inline constexpr bool can_be_sent = false;

/// True for types that belong to a device; specialised where devices are known.
template <class T>
inline constexpr bool stays_with_device = false;
/// True for those types of a device that are attachments of messages: the runtime sends their contents beside
/// the message's bytes. Specialised at the same place.
template <class T>
inline constexpr bool is_attachment = false;
/// True for those types of a device whose contents an archive takes along: they may be members of a chare
/// that migrates. Specialised at the same place.
template <class T>
inline constexpr bool migrates_with_chare = false;
/// Markers among the parents in `find_problem`. The value is an argument of an entry, or goes to a mailbox;
/// or it is named in a `serialize`.
struct in_message {};
struct in_serialize {};

// One class for each reason. The condition of the static_assert makes the compiler name the type and the
// field.
template <class... Place>
struct is_pointer {
  static void say() {
    static_assert(can_be_sent<Place...>,
                  "imbrex: a raw pointer cannot be sent, its address means nothing elsewhere: "
                  "use a value, std::vector, std::unique_ptr or a proxy");
  }
};
template <class... Place>
struct is_reference {
  static void say() {
    static_assert(can_be_sent<Place...>, "imbrex: a reference cannot be sent: use a value");
  }
};
template <class... Place>
struct is_constant {
  static void say() {
    static_assert(can_be_sent<Place...>, "imbrex: a const field cannot be read back: remove the const");
  }
};
template <class... Place>
struct is_borrowed {
  static void say() {
    static_assert(can_be_sent<Place...>,
                  "imbrex: a view does not own what it shows: use std::string or std::vector "
                  "(as a parameter, std::span<const T> of numbers can be sent)");
  }
};
template <class... Place>
struct is_of_a_device {
  static void say() {
    static_assert(
        can_be_sent<Place...>,
        "imbrex: memory, streams and events of a device stay in their process: give a device_buffer to an "
        "entry or mailbox as an argument or a field of an aggregate, name buffers in the serialize of a "
        "chare, or send the values as a std::vector, and make the rest of gpu() where they arrive");
  }
};
template <class... Place>
struct is_shared {
  static void say() {
    static_assert(can_be_sent<Place...>,
                  "imbrex: shared ownership ends at the process: use a value or std::unique_ptr");
  }
};
template <class... Place>
struct is_erased {
  static void say() {
    static_assert(can_be_sent<Place...>,
                  "imbrex: what an any or a function holds is not known when it is read: use std::variant");
  }
};
template <class... Place>
struct is_opaque {
  static void say() {
    static_assert(
        can_be_sent<Place...>,
        "imbrex: this type is not an aggregate: add `void serialize(auto& ar) { ar(a, b, ...); }` "
        "as a public member, or, to a type that is not yours, `void serialize(auto& ar, T& value)` in its "
        "namespace or as a static member of a specialisation of imbrex::serializer<T>");
  }
};
template <class... Place>
struct has_hidden_fields {
  static void say() {
    static_assert(
        can_be_sent<Place...>,
        "imbrex: the fields of this aggregate cannot be counted (a reference, a field without default "
        "constructor, or more than 24): add `void serialize(auto& ar) { ar(a, b, ...); }`");
  }
};
template <class... Place>
struct has_base_with_data {
  static void say() {
    static_assert(
        can_be_sent<Place...>,
        "imbrex: a base class holds data: add `void serialize(auto& ar) { ar(a, b, ...); }`, base included");
  }
};
template <class... Place>
struct inherits_serialize {
  static void say() {
    static_assert(can_be_sent<Place...>,
                  "imbrex: serialize is inherited, so members added here would be forgotten: add "
                  "`void serialize(auto& ar) { base::serialize(ar); ar(a, b, ...); }`");
  }
};
template <class... Place>
struct has_no_default {
  static void say() {
    static_assert(can_be_sent<Place...>,
                  "imbrex: reading a container makes its elements first: add a default constructor");
  }
};
template <class... Place>
struct is_polymorphic {
  static void say() {
    static_assert(can_be_sent<Place...>,
                  "imbrex: what a unique_ptr to a base class points to is not known when it is read: "
                  "use std::variant, or a final class");
  }
};

/// Class that declares the `serialize` of T, if that is a template as it should be; else T.
template <class T, class Class>
Class declares(void (Class::*)(T&));
template <class T>
consteval bool forgets_members() {
  if constexpr (requires { declares<writer>(&T::template serialize<writer>); }) {
    using declaring = decltype(declares<writer>(&T::template serialize<writer>));
    return sizeof(T) != sizeof(declaring);
  } else {
    return false;
  }
}

/// Finds the problem of a type. `Parent...` are the aggregates that are being examined, so that recursive
/// types end.
template <class T, class... Parent>
consteval auto find_problem();

template <class Found, class Owner, std::size_t Field>
struct locate {
  using type = Found;
};
template <template <class...> class Reason, class Type, class Owner, std::size_t Field>
struct locate<problem<Reason, Type>, Owner, Field> {
  using type = problem<Reason, Type, Owner, Field>;
};

template <class... Found>
consteval auto first_problem() {
  if constexpr ((std::is_same_v<Found, no_problem> && ...)) {
    return no_problem{};
  } else {
    constexpr std::size_t first = [] {
      constexpr bool good[] = {std::is_same_v<Found, no_problem>...};
      std::size_t index = 0;
      while (good[index]) ++index;
      return index;
    }();
    return std::tuple_element_t<first, std::tuple<Found...>>{};
  }
}

/// Finds the problem of a value that reading must construct before it can fill it.
template <class T, class... Parent>
consteval auto find_problem_of_constructed() {
  using found = decltype(find_problem<T, Parent...>());
  if constexpr (!std::is_same_v<found, no_problem>)
    return found{};
  else if constexpr (!std::is_default_constructible_v<T>)
    return problem<has_no_default, T>{};
  else
    return no_problem{};
}

template <class Owner, class... Parent, class... Field, std::size_t... I>
consteval auto find_problem_of_fields(type_list<Field...>, std::index_sequence<I...>) {
  return first_problem<typename locate<decltype(find_problem<Field, Parent...>()), Owner, I + 1>::type...>();
}

template <class T, class... Parent>
consteval auto find_problem_of_aggregate() {
  constexpr std::size_t bases = count_bases<T, true>();
  constexpr std::size_t count = count_initialisers<T>();
  if constexpr (bases != count_bases<T, false>()) {
    return problem<has_base_with_data, T>{};
  } else if constexpr ((count == 0 && !std::is_empty_v<T>) || count > max_fields) {
    return problem<has_hidden_fields, T>{};
  } else {
    using fields = decltype(field_types<count - bases>(std::declval<T&>()));
    return [&]<class... Field>(type_list<Field...>) {
      return find_problem_of_fields<T, T, Parent...>(fields{}, std::index_sequence_for<Field...>{});
    }(fields{});
  }
}

template <class... Parent, template <class...> class Template, class... Element>
consteval auto find_problem_of_elements(const Template<Element...>*) {
  return first_problem<decltype(find_problem_of_constructed<Element, Parent...>())...>();
}

template <class T, class... Parent>
consteval auto find_problem() {
  constexpr kind k = kind_of<T>();
  if constexpr (is_attachment<T> && (std::is_same_v<in_message, Parent> || ...))
    return no_problem{};
  else if constexpr (migrates_with_chare<T> && (std::is_same_v<in_serialize, Parent> || ...))
    return no_problem{};
  else if constexpr (stays_with_device<T>)
    return problem<is_of_a_device, T>{};
  else if constexpr (k == kind::pointer)
    return problem<is_pointer, T>{};
  else if constexpr (k == kind::reference)
    return problem<is_reference, T>{};
  else if constexpr (k == kind::constant)
    return problem<is_constant, T>{};
  else if constexpr (k == kind::borrowed || k == kind::view)
    return problem<is_borrowed, T>{};
  else if constexpr (k == kind::shared)
    return problem<is_shared, T>{};
  else if constexpr (k == kind::erased)
    return problem<is_erased, T>{};
  else if constexpr (k == kind::opaque)
    return problem<is_opaque, T>{};
  else if constexpr ((std::is_same_v<T, Parent> || ...))
    return no_problem{};
  else if constexpr (k == kind::aggregate)
    return find_problem_of_aggregate<T, Parent...>();
  else if constexpr (k == kind::array)
    return find_problem<std::remove_reference_t<decltype(std::declval<T&>()[0])>, Parent...>();
  else if constexpr (k == kind::tuple || k == kind::variant)
    return find_problem_of_elements<Parent...>(static_cast<const T*>(nullptr));
  else if constexpr (k == kind::owner) {
    using element = typename T::element_type;
    if constexpr (std::is_polymorphic_v<element> && !std::is_final_v<element>)
      return problem<is_polymorphic, T>{};
    else
      return find_problem_of_constructed<element, Parent...>();
  } else if constexpr (k == kind::map) {
    return first_problem<decltype(find_problem_of_constructed<typename T::key_type, Parent...>()),
                         decltype(find_problem_of_constructed<typename T::mapped_type, Parent...>())>();
  } else if constexpr (k == kind::optional || k == kind::sequence || k == kind::set || k == kind::block) {
    return find_problem_of_constructed<typename T::value_type, Parent...>();
  } else if constexpr (k == kind::member) {
    if constexpr (forgets_members<T>())
      return problem<inherits_serialize, T>{};
    else
      return no_problem{};
  } else {
    return no_problem{};
  }
}

/// Naming this for a problem makes the compiler print it.
template <class Found>
inline constexpr auto explanation = nullptr;
template <template <class...> class Reason, class Type>
inline constexpr auto explanation<problem<Reason, Type>> = &Reason<Type>::say;
template <template <class...> class Reason, class Type, class Owner, std::size_t Field>
inline constexpr auto explanation<problem<Reason, Type, Owner, Field>> =
    &Reason<Type, typename decltype(describe_field<Owner, Field>())::type>::say;

}  // namespace detail

/// A `T` can be written and read. A view can be by itself, because its reader knows the lifetime of the
/// input. Inside another value it cannot, since that may be kept longer.
template <class T>
concept serializable =
    detail::is_view<T> || std::is_same_v<decltype(detail::find_problem<T>()), detail::no_problem>;

/// Stops the compilation if `T` is not serializable, with one line that has the reason and the field.
template <class T>
consteval void check_serializable() {
  if constexpr (!detail::is_view<T>) [[maybe_unused]]
    constexpr auto problem_text = detail::explanation<decltype(detail::find_problem<T>())>;
}

namespace detail {

/// A `T` can be an argument of an entry or a value of a mailbox.
template <class T>
concept serializable_in_message =
    is_view<T> || std::is_same_v<decltype(find_problem<T, in_message>()), no_problem>;

/// An archive takes a `T`.
template <class T>
concept archivable = is_view<T> || std::is_same_v<decltype(find_problem<T, in_serialize>()), no_problem>;

/// Like `check_serializable`, for what an archive is called with.
template <class T>
consteval void check_archivable() {
  if constexpr (!is_view<T>) [[maybe_unused]]
    constexpr auto problem_text = explanation<decltype(find_problem<T, in_serialize>())>;
}

/// Like `check_serializable`, for values that go into a message.
template <class T>
consteval void check_serializable_in_message() {
  if constexpr (!is_view<T>) [[maybe_unused]]
    constexpr auto problem_text = explanation<decltype(find_problem<T, in_message>())>;
}

/// False if an argument of type `Argument`, or the `Value` that it is stored as, cannot leave its device. A
/// static_assert then says why. `converts`: the argument converts to the value implicitly.
template <class Value, class Argument, bool converts>
consteval bool fits_as_attachment() {
  using input = std::remove_cvref_t<Argument>;
  constexpr bool is_copied = is_attachment<input> && !converts && !std::is_same_v<Argument, input&&>;
  static_assert(!is_copied,
                "imbrex: memory of a device is not copied into a message: give the device_buffer itself, "
                "by std::move");
  if constexpr (is_copied) {
    return false;
  } else if constexpr (stays_with_device<Value> && !is_attachment<Value>) {
    check_serializable<Value>();
    return false;
  } else if constexpr (stays_with_device<input> && !converts) {
    check_serializable<input>();
    return false;
  } else {
    return true;
  }
}

/// True if a message with a `T` has attachments.
template <class T>
inline constexpr bool carries_attachments = serializable_in_message<T> && !serializable<T>;

}  // namespace detail
}  // namespace imbrex
