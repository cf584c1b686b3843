// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// Defines the results of `imbrex.rebalance`, and the functions of `imbrex._balance` for strategies.
void define_balance(nb::module_& m);

}  // namespace imbrex::python
