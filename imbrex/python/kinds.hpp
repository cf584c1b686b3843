// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/array_kind.hpp>

namespace imbrex::python {

// Each kind has a source file of its own, since its templates take long to compile.
const array_kind& kind_of_index_1();
const array_kind& kind_of_index_2();
const array_kind& kind_of_index_3();
const array_kind& kind_of_index_4();
const array_kind& kind_of_index_5();
const array_kind& kind_of_index_6();
const array_kind& kind_of_keys();

}  // namespace imbrex::python
