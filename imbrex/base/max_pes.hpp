// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::detail {

/// The most PEs that one process may have.
inline constexpr int max_pes = 65'536;

}  // namespace imbrex::detail
