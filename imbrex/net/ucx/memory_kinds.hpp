// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace imbrex::ucx {

/// Whose memory UCX can send from and receive to, by its own names ("host", "cuda"), as UCX itself says it of
/// what it was built with and finds here. Empty where this build has no UCX. Throws imbrex::error if UCX does
/// not start.
std::vector<std::string> memory_kinds();

}  // namespace imbrex::ucx
