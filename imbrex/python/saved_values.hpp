// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of Python in what outlives a run. Proxies in them, also inside of pickled objects, are names.

#include <string>

#include <imbrex/core/extension/durable_names.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// The text of the reason why a state cannot be saved: the attribute, and what pickle says.
std::string reason_not_to_save(PyObject* state, const nb::python_error& raised,
                               extension::name_writer& names);

/// Defines the functions that `imbrex._saving` needs.
void define_saved_values(nb::module_& m);

}  // namespace imbrex::python
