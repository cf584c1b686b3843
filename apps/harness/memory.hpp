// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace harness {

/// The bytes that this process can allocate before the system swaps or kills it. This is the machine's
/// available memory, limited by the control groups of the process. The greatest number if it is unknown.
std::uint64_t available_memory();

/// "21.3 GiB".
std::string in_binary_units(double bytes);

}  // namespace harness
