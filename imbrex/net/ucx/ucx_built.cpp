// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ucx_built.hpp>

namespace imbrex::ucx {

bool is_built() { return true; }

}  // namespace imbrex::ucx
