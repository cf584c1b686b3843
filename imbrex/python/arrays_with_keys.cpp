// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/array_kind.hpp>
#include <imbrex/python/object.hpp>

namespace imbrex::python {

const array_kind& arrays_with_keys() {
  static constexpr kind_of_index<text_key> kind;
  return kind;
}

}  // namespace imbrex::python
