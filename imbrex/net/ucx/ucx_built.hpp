// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::ucx {

/// True if this build has UCX. Apart from what uses it, so that asking links nothing of it.
bool is_built();

}  // namespace imbrex::ucx
