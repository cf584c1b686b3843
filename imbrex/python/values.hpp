// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/codec.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// Writes a value. Numbers, texts, bytes, NumPy arrays, device arrays and proxies have formats of their own;
/// tuples are written value by value. Everything else goes through pickle, whose large buffers become blocks.
/// Throws nb::python_error if pickle refuses the value.
void encode(encoder& out, PyObject* o);
/// Reads a value. Throws nb::python_error, for example if pickle does not find a class.
nb::object decode(decoder& in);

/// Writes a value by pickle, whatever it is.
void encode_by_pickle(encoder& out, PyObject* o);
/// Reads what `encode_by_pickle` has written after the tag.
nb::object decode_pickled(decoder& in);

parcel parcel_of(PyObject* o);
loaded_parcel loaded_parcel_of(PyObject* o);
/// `names`: of the value if it comes from another run, else null.
inline nb::object value_of(const parcel& p, extension::name_reader* names = nullptr) {
  decoder in(p, names);
  return decode(in);
}
/// Takes the device arrays out of `p`.
inline nb::object value_of(loaded_parcel&& p) {
  decoder in(p);
  return decode(in);
}

/// A value handed over by `imbrex.give`: its array is not copied, and becomes read-only here.
struct moved_object {
  PyObject ob_base;
  PyObject* value;

  static inline PyTypeObject* type = nullptr;
  static void define(nb::module_& m);
};

}  // namespace imbrex::python
