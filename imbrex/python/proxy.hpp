// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/python/array_index.hpp>
#include <imbrex/python/classes.hpp>
#include <imbrex/python/codec.hpp>

namespace imbrex::python {

enum class proxy_kind : std::uint8_t { element, array, group, section };

/// Names chares: an element, an array or group, or a section.
struct proxy {
  class_record* of = nullptr;
  proxy_kind kind = proxy_kind::element;
  std::uint8_t dimensions = 1;  ///< 1 to 6; 0 if the array has keys
  std::int8_t priority = 0;
  bool is_coalesced = false;
  bool is_single = false;
  std::uint64_t collection = 0;
  std::uint64_t number = 0;    ///< element: linear index in the shape; section: its id
  std::array<int, 6> shape{};  ///< extents of the array; unused with keys
  std::string key{};           ///< key of an element, as `repr` writes it

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

/// A proxy as bytes that another run reads, and back.
std::vector<std::byte> saved_form(const proxy& p, extension::name_writer& names);
proxy proxy_of_saved(std::span<const std::byte> bytes, extension::name_reader& names);

/// Writes the tag and the proxy, by the encoder's names if it has any.
void encode_proxy(encoder& out, const proxy& p);
/// Reads a proxy after its tag.
nb::object decode_proxy(decoder& in);

/// Converts an index to Python: an int in one dimension, else a tuple.
nb::object index_object(std::span<const int> index);
/// Reads an int, or a tuple or list of 1 to 6 ints, and returns their number. Throws nb::python_error for
/// anything else; `what` names the object.
std::uint8_t read_index(PyObject* o, std::array<int, 6>& index, const char* what);
/// The linear index, row-major, of `index` in `shape`. Throws std::out_of_range.
std::uint64_t linear_place(const class_record& of, std::span<const int> shape, std::span<const int> index);
array_index index_at(std::span<const int> shape, std::uint64_t place);
/// "Block(1, 2)"; for a single chare only the class.
std::string element_text(const proxy& element);

}  // namespace imbrex::python
