// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/name/placement.hpp>

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void check_array_name(std::string_view name) {
  if (name.empty())
    throw error("named: the name of an array is empty; give one that no other array of the run has");
}

void throw_wrong_placement(int pe, int num_pes) {
  throw error("the placement of an array gave PE " + std::to_string(pe) + "; this run has PEs 0 to " +
              std::to_string(num_pes - 1));
}

}  // namespace imbrex::detail
