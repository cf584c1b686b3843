// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/kinds.hpp>
#include <imbrex/python/object.hpp>

namespace imbrex::python {

const array_kind& kind_of_index_5() {
  static const kind_of_index<index<5>> kind;
  return kind;
}

}  // namespace imbrex::python
