// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sorts every type into one kind, by its shape, so that this header includes no container headers but
// <vector> and <string>.

#include <imbrex/serial/bitwise.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace imbrex::detail {

enum class kind {
  member,   // has serialize(auto&)
  foreign,  // serializer<T>, or a free serialize(auto&, T&)
  boolean,
  bits,         // bitwise
  enumeration,  // enumerations of bool
  array,        // C array, std::array
  tuple,        // pair, tuple
  optional,
  owner,  // unique_ptr
  variant,
  view,        // span of const bitwise elements: reading points into the message
  bit_vector,  // vector<bool>
  bit_set,
  block,     // contiguous elements that are copied at once: string, vector<double>
  sequence,  // other vectors, deque, list
  map,
  set,
  aggregate,
  // Kinds that cannot be serialised.
  pointer,
  reference,
  constant,
  borrowed,  // string_view, span of non-const
  shared,    // shared_ptr, weak_ptr
  erased,    // any, function
  opaque,    // private members, unions, and everything else
};

template <class T>
inline constexpr bool is_unique_ptr = false;
template <class T>
inline constexpr bool is_unique_ptr<std::unique_ptr<T>> = !std::is_array_v<T>;

template <class T>
inline constexpr bool is_vector_of_bool = false;
template <class Allocator>
inline constexpr bool is_vector_of_bool<std::vector<bool, Allocator>> = true;

template <class T>
inline constexpr bool is_string_view = false;
template <class Character, class Traits>
inline constexpr bool is_string_view<std::basic_string_view<Character, Traits>> = true;

template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t Extent>
inline constexpr bool is_span<std::span<T, Extent>> = true;
template <class T>
inline constexpr bool is_view = false;
template <class T>
inline constexpr bool is_view<std::span<const T>> = bitwise<T>;

/// A class that derives from a container must not count as one: its additional members would be forgotten.
template <class T>
inline constexpr bool is_specialisation = false;
template <template <class...> class Template, class... Argument>
inline constexpr bool is_specialisation<Template<Argument...>> = !std::is_aggregate_v<Template<Argument...>>;
template <template <class, std::size_t, class...> class Template, class T, std::size_t N, class... Argument>
inline constexpr bool is_specialisation<Template<T, N, Argument...>> =
    !std::is_aggregate_v<Template<T, N, Argument...>>;

template <class T>
inline constexpr bool has_variant_shape = false;
template <template <class...> class Variant, class... Alternative>
inline constexpr bool has_variant_shape<Variant<Alternative...>> =
    requires(const Variant<Alternative...>& object) {
      object.index();
      object.valueless_by_exception();
    };

template <class T>
concept tuple_shape = is_specialisation<T> && requires { std::tuple_size<T>::value; };

template <class T>
concept optional_shape = is_specialisation<T> && requires(T& object) {
  typename T::value_type;
  object.has_value();
  object.reset();
  *object;
};

template <class T>
concept shared_shape = requires(T& object) {
  typename T::element_type;
  object.use_count();
};

/// A type whose content is known at run time only.
template <class T>
concept erased_shape = (requires(const T& object) {
  object.has_value();
  object.type();
} && !requires { typename T::value_type; }) || requires(const T& object) { object.target_type(); };

template <class T>
concept bit_set_shape = requires(T& object) {
  object.size();
  object.test(std::size_t{});
  object.set(std::size_t{}, true);
  object.to_ullong();
};

template <class T>
concept container_shape = is_specialisation<T> && requires(T& object) {
  typename T::value_type;
  object.begin();
  object.end();
  object.size();
  object.clear();
};

template <class T>
concept block_shape = container_shape<T> && requires(T& object) {
  object.resize(std::size_t{});
  object.data();
} && bitwise<typename T::value_type>;

template <class T>
concept sequence_shape = container_shape<T> && requires(T& object) { object.pop_back(); };

template <class T>
concept set_shape = container_shape<T> && requires { typename T::key_type; };

template <class T>
concept map_shape = set_shape<T> && requires { typename T::mapped_type; };

template <class T>
consteval kind kind_of() {
  if constexpr (std::is_reference_v<T>)
    return kind::reference;
  else if constexpr (std::is_const_v<T>)
    return kind::constant;
  else if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T>)
    return kind::pointer;
  else if constexpr (std::is_same_v<T, bool>)
    return kind::boolean;
  else if constexpr (bitwise<T>)
    return kind::bits;
  else if constexpr (has_serialize<T>)
    return kind::member;
  else if constexpr (has_serializer<T> || (std::is_class_v<T> && has_free_serialize<T>))
    return kind::foreign;
  else if constexpr (std::is_enum_v<T>)
    return kind::enumeration;
  else if constexpr (std::is_bounded_array_v<T> || is_std_array<T>)
    return kind::array;
  else if constexpr (!std::is_class_v<T>)
    return kind::opaque;
  else if constexpr (is_view<T>)
    return kind::view;
  else if constexpr (is_span<T> || is_string_view<T>)
    return kind::borrowed;
  else if constexpr (tuple_shape<T>)
    return kind::tuple;
  else if constexpr (is_unique_ptr<T>)
    return kind::owner;
  else if constexpr (shared_shape<T>)
    return kind::shared;
  else if constexpr (erased_shape<T>)
    return kind::erased;
  else if constexpr (has_variant_shape<T>)
    return kind::variant;
  else if constexpr (optional_shape<T>)
    return kind::optional;
  else if constexpr (is_vector_of_bool<T>)
    return kind::bit_vector;
  else if constexpr (bit_set_shape<T>)
    return kind::bit_set;
  else if constexpr (map_shape<T>)
    return kind::map;
  else if constexpr (set_shape<T>)
    return kind::set;
  else if constexpr (block_shape<T>)
    return kind::block;
  else if constexpr (sequence_shape<T>)
    return kind::sequence;
  else if constexpr (std::is_aggregate_v<T>)
    return kind::aggregate;
  else
    return kind::opaque;
}

}  // namespace imbrex::detail
