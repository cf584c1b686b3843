// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/chare.hpp>

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void throw_wrong_pe(const char* what, int pe, int num_pes) {
  throw error(std::string(what) + ": there is no PE " + std::to_string(pe) + "; this run has PEs 0 to " +
              std::to_string(num_pes - 1));
}

}  // namespace imbrex::detail
