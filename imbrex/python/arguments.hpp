// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/classes.hpp>
#include <imbrex/python/codec.hpp>

namespace imbrex::python {

/// Writes the arguments of a call in vectorcall order: positional ones, then those that `names` (null for
/// none) names. Throws nb::python_error if they do not fit: a TypeError that names the class, the entry and
/// the fault. An exception of pickle gets a note that names the argument.
void encode_arguments(encoder& out, const member_record& entry, PyObject* const* args, Py_ssize_t positional,
                      PyObject* names);

/// Writes the arguments of a call from a tuple and a dict (null for none).
void encode_arguments(encoder& out, const member_record& entry, PyObject* args, PyObject* named);

/// Writes a value for a port. An exception of pickle gets a note that names the port.
void encode_value(encoder& out, const member_record& port, PyObject* value);

}  // namespace imbrex::python
