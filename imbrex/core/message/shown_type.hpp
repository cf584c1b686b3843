// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <vector>

#include <imbrex/base/type_name.hpp>

namespace imbrex {

struct entry_name;

namespace detail {

/// A type of a front end of another language, whose programs do not know its name: it says what reports call
/// it.
template <class T>
concept says_its_name = requires {
  { T::shown_as } -> std::convertible_to<std::string_view>;
};

/// What reports call a type.
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

/// A class of chares that stand for those of classes with names at run time. The first argument of their
/// constructor is the `entry_name` of such a class's constructor, and the first when an array is made that
/// begins empty. An array, or a collection of single chares, is of one such class, and reports show its name,
/// and those that the chares themselves give their ports.
template <class T>
concept stands_for_classes = says_its_name<T> && requires(const T& object, const void* port) {
  { object.constructor_name() } -> std::same_as<entry_name>;
  { object.shown_port_name(port) } -> std::convertible_to<std::string_view>;
};

}  // namespace detail
}  // namespace imbrex
