// SPDX-License-Identifier: Apache-2.0
// Replaces pmix.cpp where CMake finds no header of PMIx.
#include <imbrex/net/bootstrap/internal/pmix.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/net/bootstrap/environment.hpp>

namespace imbrex {

bool pmix_serves_this_process() {
  return environment_text("PMIX_NAMESPACE") != nullptr && environment_text("PMIX_RANK") != nullptr;
}

std::unique_ptr<bootstrap> start_pmix_bootstrap() {
  throw error("Imbrex was built without PMIx; install its header (Debian: libpmix-dev) and build it again");
}

}  // namespace imbrex
