// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace harness {

/// Bytes that this process can still get without making the system swap or end it: what the machine has
/// available, but no more than the control groups that the process is in leave it. The greatest number where
/// the system does not tell.
std::uint64_t available_memory();

/// "21.3 GiB".
std::string in_binary_units(double bytes);

}  // namespace harness
