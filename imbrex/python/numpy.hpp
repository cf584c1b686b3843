// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/python/codec.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python::numpy {

/// True of an array of NumPy itself, not of a class derived from it. NumPy is not loaded for that.
bool is_array(PyObject* o);
/// True of NumPy's scalars.
bool is_scalar(PyObject* o);

/// Writes an array with its tag, whatever its layout. `is_given`: its memory goes with it, if the array has
/// it for itself. False if its elements have references, or a type that others than NumPy have made: then
/// nothing is written.
bool encode_array(encoder& out, PyObject* array, bool is_given);
/// Has an array, also of a derived class, be read-only; nothing for other objects.
void close_given(PyObject* o);
bool encode_scalar(encoder& out, PyObject* scalar);

/// The number of a type of numbers that dtype(o) is, if devices have them and their bytes mean the same in
/// each process; -1 for another. Equal types have one number. Throws nb::python_error for what is no dtype.
int plain_type_of(PyObject* o);
/// The dtype with that number.
nb::object dtype_of(int type);
std::size_t element_size(int type);

/// The object as an array whose elements follow each other in rows, copied if need be. Throws
/// nb::python_error, and nb::type_error for elements that are not plain.
nb::object in_rows(PyObject* o);
/// What `in_rows` has given.
int type_of(const nb::object& array);
std::vector<Py_ssize_t> shape_of(const nb::object& array);
std::byte* elements_of(const nb::object& array);
nb::object new_array(int type, const std::vector<Py_ssize_t>& shape);

/// Read what follows their tags. Arrays can be written to.
nb::object decode_array(decoder& in);
nb::object decode_array_beside(decoder& in);
nb::object decode_scalar(decoder& in);

}  // namespace imbrex::python::numpy
