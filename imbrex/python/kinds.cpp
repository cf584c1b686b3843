// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/kinds.hpp>

#include <array>

namespace imbrex::python {

const array_kind& kind_of(int dimensions) {
  static const std::array<const array_kind*, 7> all{
      &kind_of_keys(),    &kind_of_index_1(), &kind_of_index_2(), &kind_of_index_3(),
      &kind_of_index_4(), &kind_of_index_5(), &kind_of_index_6()};
  return *all[static_cast<std::size_t>(dimensions)];
}

}  // namespace imbrex::python
