// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/python/codec.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python::numpy {

/// True for numpy.ndarray itself, not for derived classes. Does not import NumPy.
bool is_array(PyObject* o);
/// True for NumPy's scalars.
bool is_scalar(PyObject* o);

/// Writes an array of any layout with its tag. With `is_moved`, the array's memory is sent without a copy if
/// nothing else owns it. Returns false and writes nothing if elements hold references, or their type comes
/// from outside NumPy.
bool encode_array(encoder& out, PyObject* array, bool is_moved);
/// Makes an array, also of a derived class, read-only. Does nothing for other objects.
void make_read_only(PyObject* o);
bool encode_scalar(encoder& out, PyObject* scalar);

/// The type number of dtype(o), if devices have that type and its bytes mean the same in each process; -1 for
/// other types. Equal types have one number. Throws nb::python_error if `o` does not convert to a dtype.
int plain_type_of(PyObject* o);
/// The dtype with number `type`.
nb::object dtype_of(int type);
std::size_t element_size(int type);

/// Converts the object to a C-contiguous array, copied if need be. Throws nb::python_error, and
/// nb::type_error for elements that devices do not have.
nb::object in_rows(PyObject* o);
/// Properties of an array that `in_rows` has returned.
int type_of(const nb::object& array);
std::vector<Py_ssize_t> shape_of(const nb::object& array);
std::byte* elements_of(const nb::object& array);
nb::object new_array(int type, const std::vector<Py_ssize_t>& shape);

/// Read the value after its tag. The arrays are writable.
nb::object decode_array(decoder& in);
nb::object decode_array_beside(decoder& in);
/// Passes over the head of an array whose elements lie in a block.
void pass_head(decoder& in);
nb::object decode_scalar(decoder& in);

}  // namespace imbrex::python::numpy
