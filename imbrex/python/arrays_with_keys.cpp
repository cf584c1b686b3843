// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/kinds.hpp>
#include <imbrex/python/object.hpp>

namespace imbrex::python {

const array_kind& kind_of_keys() {
  static const kind_of_index<text_key> kind;
  return kind;
}

}  // namespace imbrex::python
