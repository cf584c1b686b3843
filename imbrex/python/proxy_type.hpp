// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// Defines the type of proxies, and the function that pickle calls to restore one.
void define_proxies(nb::module_& m);

}  // namespace imbrex::python
