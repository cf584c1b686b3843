// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <vector>

#include <imbrex/base/type_name.hpp>

namespace imbrex {

struct entry_name;

namespace detail {

/// A type of another language's front end, whose name means nothing to its programs. `shown_as` is its name
/// in reports.
template <class T>
concept says_its_name = requires {
  { T::shown_as } -> std::convertible_to<std::string_view>;
};

/// The name of a type in reports.
template <class T>
struct shown_type {
  static constexpr std::string_view name = type_name<T>();
};
template <says_its_name T>
struct shown_type<T> {
  static constexpr std::string_view name = T::shown_as;
};
template <says_its_name T, class Allocator>
struct shown_type<std::vector<T, Allocator>> {
  static constexpr std::string_view name = T::shown_as;
};

/// A chare class that stands for classes named at run time. The first argument of its constructor is the
/// `entry_name` of such a class's constructor. So is the first argument of an array that begins empty. An
/// array or a collection of single chares belongs to one such class. Reports show the name of that class and
/// the port names that the chares provide.
template <class T>
concept stands_for_classes = says_its_name<T> && requires(const T& object, const void* port) {
  { object.constructor_name() } -> std::same_as<entry_name>;
  { object.shown_port_name(port) } -> std::convertible_to<std::string_view>;
};

}  // namespace detail
}  // namespace imbrex
