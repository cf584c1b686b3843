// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

/// The most processes that a job may have.
inline constexpr int max_processes = 65'536;

}  // namespace imbrex
