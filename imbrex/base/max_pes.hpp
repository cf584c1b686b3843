// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::detail {

/// Limit of PEs in one process.
inline constexpr int max_pes = 65'536;

}  // namespace imbrex::detail
