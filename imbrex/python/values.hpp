// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/codec.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// Writes a value. Numbers, texts, bytes, arrays of NumPy and of devices and proxies are written by
/// themselves, tuples value by value; everything else by pickle, with the buffers that it gives in blocks.
/// Throws nb::python_error if pickle refuses the value.
void encode(encoder& out, PyObject* o);
/// Throws nb::python_error, such as for a class that pickle does not find.
nb::object decode(decoder& in);

parcel parcel_of(PyObject* o);
loaded_parcel loaded_parcel_of(PyObject* o);
inline nb::object value_of(const parcel& p) {
  decoder in(p);
  return decode(in);
}
/// Its arrays of devices are taken.
inline nb::object value_of(loaded_parcel&& p) {
  decoder in(p);
  return decode(in);
}

/// A value that is handed over by `imbrex.give`: its array is not copied, and cannot be written to here any
/// more.
struct given_object {
  PyObject ob_base;
  PyObject* value;

  static inline PyTypeObject* type = nullptr;
  static void define(nb::module_& m);
};

}  // namespace imbrex::python
