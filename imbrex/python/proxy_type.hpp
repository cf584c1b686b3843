// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// Makes the type of proxies, and what pickle calls to make one again.
void define_proxies(nb::module_& m);

}  // namespace imbrex::python
