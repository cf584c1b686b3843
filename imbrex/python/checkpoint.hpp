// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// Defines the results of checkpoints, and the functions of `imbrex._checkpoint`.
void define_checkpoints(nb::module_& m);

}  // namespace imbrex::python
