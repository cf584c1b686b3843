// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/minimd/options.hpp"

namespace minimd {

/// Bytes that a process needs at least: for its part of the atoms, for copies around a cube of these, and for
/// lists of neighbours.
double bytes_of_process(const settings& setup);

/// Throws imbrex::usage_error, with the sizes and the remedy, if a process needs more.
void check_memory(const settings& setup, std::uint64_t available_bytes);

}  // namespace minimd
