// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

/// The most emulated devices that one process may have.
inline constexpr int max_devices = 65'536;

}  // namespace imbrex
