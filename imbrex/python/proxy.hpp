// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include <imbrex/python/classes.hpp>
#include <imbrex/python/codec.hpp>

namespace imbrex::python {

enum class proxy_kind : std::uint8_t { element, array, group, section };

/// What names chares: an element, an array or group, or a section.
struct proxy {
  class_record* of = nullptr;
  proxy_kind kind = proxy_kind::element;
  std::uint8_t dimensions = 1;  ///< 1 to 6; 0 if the array has keys
  std::int8_t priority = 0;
  bool is_coalesced = false;
  bool is_single = false;
  std::uint64_t collection = 0;
  std::uint64_t number = 0;    ///< of an element its place in the shape, of a section the section's
  std::array<int, 6> shape{};  ///< of the array; of keys nothing
  std::string key{};           ///< of an element with a key: the key as `encode` writes it

  std::span<const int> extents() const { return {shape.data(), dimensions}; }
  bool names_one() const { return kind == proxy_kind::element; }
  bool operator==(const proxy& other) const {
    return kind == other.kind && collection == other.collection && number == other.number && key == other.key;
  }
};

struct proxy_object {
  PyObject ob_base;
  proxy its;

  /// Set when the module is loaded.
  static inline PyTypeObject* type = nullptr;
};

inline bool is_proxy(PyObject* o) { return Py_TYPE(o) == proxy_object::type; }
inline const proxy& proxy_in(PyObject* o) { return reinterpret_cast<proxy_object*>(o)->its; }
nb::object new_proxy(proxy p);

/// With its tag.
void encode_proxy(encoder& out, const proxy& p);
/// What follows its tag.
nb::object decode_proxy(decoder& in);

/// An index as Python has it: an int in one dimension, else a tuple.
nb::object index_object(std::span<const int> index);
/// Reads 1 to 6 ints, or one int. Throws nb::type_error for anything else; `what` names it.
std::uint8_t read_index(PyObject* o, std::array<int, 6>& index, const char* what);
/// The place of an index in a shape. Throws std::out_of_range.
std::uint64_t linear_place(const class_record& of, std::span<const int> shape, std::span<const int> index);
std::array<int, 6> index_at(std::span<const int> shape, std::uint64_t place);
std::string index_text(std::span<const int> index);
/// "Block(1, 2)"; of a single chare its class alone.
std::string element_text(const proxy& element);

}  // namespace imbrex::python
