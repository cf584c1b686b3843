// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::ucx {

/// True if this build has UCX. A file of its own, so that a call of it does not link UCX.
bool is_built();

}  // namespace imbrex::ucx
