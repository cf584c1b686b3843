// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

/// Limit of processes in a job.
inline constexpr int max_processes = 65'536;

}  // namespace imbrex
