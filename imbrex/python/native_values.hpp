// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conversion of arguments and results between Python and C++, for chare classes of C++.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <imbrex/base/type_name.hpp>
#include <imbrex/core/array/proxy.hpp>
#include <imbrex/core/extension/chare.hpp>
#include <imbrex/core/extension/message_kind.hpp>
#include <imbrex/python/native_class.hpp>
#include <imbrex/python/numpy.hpp>
#include <imbrex/python/values.hpp>

namespace imbrex::python {

/// The record of the C++ class T; null until a module has defined it.
template <class T>
inline class_record* record_of = nullptr;

/// True of numbers that arrays of NumPy have, and not of bool.
template <class E>
inline constexpr bool is_number =
    std::is_arithmetic_v<E> && !std::is_same_v<E, bool> && !std::is_same_v<E, char>;

/// "float64", as NumPy names the type of an array's elements.
template <class E>
std::string element_type_in_python() {
  constexpr const char* kind = std::is_floating_point_v<E> ? "float" : std::is_signed_v<E> ? "int" : "uint";
  return kind + std::to_string(8 * sizeof(E));
}
/// "int", "float"; numbers that are shorter than those of Python have the names of NumPy.
template <class V>
std::string type_in_python() {
  if constexpr (std::is_void_v<V>)
    return "None";
  else if constexpr (std::is_same_v<V, bool>)
    return "bool";
  else if constexpr (std::is_same_v<V, std::int64_t>)
    return "int";
  else if constexpr (std::is_same_v<V, double>)
    return "float";
  else if constexpr (is_number<V>)
    return element_type_in_python<V>();
  else if constexpr (std::is_same_v<V, std::string>)
    return "str";
  else
    return std::string(type_name<V>());
}

/// Thrown inside of conversions: the value is none of the type.
struct unfit {};

/// The conversion of values of type V: `from` Python, and `to` Python. `from` throws `unfit` or an exception
/// of Python.
template <class V>
struct conversion {
  static std::string type() { return type_in_python<V>(); }
  static V from(PyObject* o) {
    // An int is no bool and no text is a list: nothing is guessed.
    if constexpr (std::is_same_v<V, bool>) {
      if (PyBool_Check(o) == 0) throw unfit();
    }
    V value{};
    if (!nb::try_cast<V>(nb::handle(o), value)) throw unfit();
    return value;
  }
  static nb::object to(V&& value) { return nb::cast(std::move(value)); }
};

/// A C-contiguous array of numbers in the host's memory. Throws `unfit` for an array of another type.
template <class E>
using number_array = nb::ndarray<const E, nb::c_contig, nb::device::cpu>;
template <class E>
number_array<E> numbers_in(PyObject* o) {
  number_array<E> found;
  if (!nb::try_cast(nb::handle(o), found, false)) throw unfit();
  return found;
}

/// Vectors of numbers are arrays of NumPy, or other sequences of numbers; results are arrays that own the
/// vector's memory.
template <class E>
  requires is_number<E>
struct conversion<std::vector<E>> {
  static std::string type() { return "numbers as " + element_type_in_python<E>(); }
  static std::vector<E> from(PyObject* o) {
    if (nb::ndarray_check(nb::handle(o))) {
      const auto found = numbers_in<E>(o);
      return {found.data(), found.data() + found.size()};
    }
    std::vector<E> value;
    if (!nb::try_cast(nb::handle(o), value)) throw unfit();
    return value;
  }
  static nb::object to(std::vector<E>&& value) {
    auto owned = std::make_unique<std::vector<E>>(std::move(value));
    E* const first = owned->data();
    const std::size_t size = owned->size();
    const nb::capsule owner(owned.get(), [](void* v) noexcept { delete static_cast<std::vector<E>*>(v); });
    static_cast<void>(owned.release());
    return nb::cast(nb::ndarray<nb::numpy, E, nb::ndim<1>>(first, {size}, owner));
  }
};

/// Spans of numbers are arrays of any shape, in rows without gaps. An array of `imbrex.give` is not copied:
/// the message keeps it.
template <class E>
  requires is_number<E>
struct conversion<extension::owned_span<E>> {
  static std::string type() { return "a C-contiguous array of " + element_type_in_python<E>(); }
  static extension::owned_span<E> from(PyObject* o) {
    if (Py_TYPE(o) != moved_object::type) {
      const auto found = numbers_in<E>(o);
      return std::span<const E>(found.data(), found.size());
    }
    PyObject* const source = reinterpret_cast<moved_object*>(o)->value;
    auto* const kept = new number_array<E>(numbers_in<E>(source));
    numpy::make_read_only(source);
    const auto drop = [kept](const E*) {
      const nb::gil_scoped_acquire lock;  // the last owner may be on any thread
      delete kept;
    };
    return {std::shared_ptr<const E>(kept->data(), drop), kept->size()};
  }
};

/// The proxy of a chare of class T. Throws `unfit` for others.
template <class T>
const proxy& proxy_of_class(PyObject* o) {
  if (record_of<T> == nullptr || !is_proxy(o) || proxy_in(o).of != record_of<T>) throw unfit();
  return proxy_in(o);
}

template <class T>
typename T::index_type shape_in(const proxy& p) {
  typename T::index_type shape;
  for (int d = 0; d < shape.dimensions; ++d) shape[d] = p.shape[static_cast<std::size_t>(d)];
  return shape;
}
template <class T>
element<T> element_in(const proxy& p) {
  const element<T> e(p.collection, p.number, p.priority);
  return p.is_coalesced ? e.coalesced() : e;
}
template <class T>
array<T> array_in(const proxy& p) {
  return array<T>(p.collection, shape_in<T>(p)).with_priority(p.priority);
}
template <class T>
section<T> section_in(const proxy& p) {
  return {p.collection, p.number, p.priority};
}

template <class T>
struct conversion<element<T>> {
  static std::string type() { return "a proxy of one " + std::string(type_name<T>()); }
  static element<T> from(PyObject* o) {
    const proxy& p = proxy_of_class<T>(o);
    if (!p.names_one()) throw unfit();
    return element_in<T>(p);
  }
};
template <class T>
struct conversion<array<T>> {
  static std::string type() { return "an array of " + std::string(type_name<T>()); }
  static array<T> from(PyObject* o) {
    const proxy& p = proxy_of_class<T>(o);
    if (p.kind != proxy_kind::array) throw unfit();
    return array_in<T>(p);
  }
  static nb::object to(const array<T>& all) {
    if (record_of<T> == nullptr)
      throw nb::type_error(
          ("no module defines the class " + std::string(type_name<T>()) + " for Python").c_str());
    proxy p;
    p.of = record_of<T>;
    p.kind = proxy_kind::array;
    p.priority = all.priority();
    p.collection = all.collection();
    p.dimensions = static_cast<std::uint8_t>(all.shape().dimensions);
    for (int d = 0; d < all.shape().dimensions; ++d) p.shape[static_cast<std::size_t>(d)] = all.shape()[d];
    return new_proxy(std::move(p));
  }
};
template <class T>
struct conversion<group<T>> {
  static std::string type() { return "a group of " + std::string(type_name<T>()); }
  static group<T> from(PyObject* o) {
    const proxy& p = proxy_of_class<T>(o);
    if (p.kind != proxy_kind::group) throw unfit();
    return group<T>(array_in<T>(p));
  }
};

/// The arguments of a call as the types that messages store.
template <class Stored>
struct stored_arguments;
template <class... S>
struct stored_arguments<std::tuple<S...>> {
  static std::vector<native_signature::parameter> parameters(const std::vector<std::string>& names) {
    std::vector<native_signature::parameter> all{{{}, conversion<S>::type()}...};
    for (std::size_t i = 0; i < all.size() && i < names.size(); ++i) all[i].name = names[i];
    return all;
  }
  static std::tuple<S...> from(const native_signature& of, const call_values& call) {
    std::array<PyObject*, sizeof...(S)> found{};
    place_arguments(of, call, found);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<S...>{one<S>(of, I, found[I])...};
    }(std::index_sequence_for<S...>());
  }

 private:
  template <class V>
  static V one(const native_signature& of, [[maybe_unused]] std::size_t number, PyObject* argument) {
    try {
      return conversion<V>::from(argument);
    } catch (const unfit&) {
      throw_unfit(of, number, argument);
    }
  }
};

}  // namespace imbrex::python
