// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/minimd/options.hpp"

namespace minimd {

/// Minimum bytes of a process: its share of the atoms, copies around a cube of them, and neighbour lists.
double bytes_of_process(const settings& setup);

/// Throws imbrex::usage_error, with the sizes and the remedy, if a process needs more.
void check_memory(const settings& setup, std::uint64_t available_bytes);

}  // namespace minimd
