// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/classes.hpp>
#include <imbrex/python/codec.hpp>

namespace imbrex::python {

/// Writes the arguments of a call as Python gives them: positional ones, then those whose names `names` has
/// (null for none). Throws nb::python_error, with a TypeError that names the class, the entry and what is
/// wrong, if they do not fit; an exception of pickle's gets a note that names the argument.
void encode_arguments(encoder& out, const member_record& entry, PyObject* const* given, Py_ssize_t positional,
                      PyObject* names);

/// The same of a tuple and a dict (null for none).
void encode_arguments(encoder& out, const member_record& entry, PyObject* given, PyObject* named);

/// Writes a value that is sent to a port. An exception of pickle's gets a note that names the port.
void encode_value(encoder& out, const member_record& port, PyObject* value);

}  // namespace imbrex::python
