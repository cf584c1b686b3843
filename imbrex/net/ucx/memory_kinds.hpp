// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace imbrex::ucx {

/// The kinds of memory that UCX can send from and receive to, by its own names ("host", "cuda"). UCX reports
/// those that it was built with and finds here. Empty in a build without UCX. Throws imbrex::error if UCX
/// does not start.
std::vector<std::string> memory_kinds();

}  // namespace imbrex::ucx
