// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/codec.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python::numpy {

/// True of an array of NumPy itself, not of a class derived from it. NumPy is not loaded for that.
bool is_array(PyObject* o);
/// True of NumPy's scalars.
bool is_scalar(PyObject* o);

/// Writes an array with its tag, whatever its layout. `is_given`: its memory goes with it. False if it has
/// elements that are not numbers of this machine: then nothing is written.
bool encode_array(encoder& out, PyObject* array, bool is_given);
bool encode_scalar(encoder& out, PyObject* scalar);

/// Read what follows their tags. Arrays can be written to.
nb::object decode_array(decoder& in);
nb::object decode_array_beside(decoder& in);
nb::object decode_scalar(decoder& in);

}  // namespace imbrex::python::numpy
