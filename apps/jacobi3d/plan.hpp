// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "apps/harness/decomposition.hpp"
#include "apps/jacobi3d/options.hpp"

namespace jacobi3d {

/// One line of the table.
struct configuration {
  std::int64_t odf;
  decomposition cut;
};

/// Bytes of all blocks of a decomposition: two copies of their cells, padding, halos, and the runtime's
/// memory for them.
double bytes_of_blocks(const decomposition& cut);

/// Bytes that the program uses at once for a configuration: its blocks, the plain loop's two copies of the
/// grid and, with --check, the serial loop's two copies.
double bytes_of_program(const settings& setup, const decomposition& cut);

/// Divides the grid for each overdecomposition factor. Throws imbrex::usage_error, with the numbers: for more
/// chares than cells, if no division into that many blocks exists, or if it needs more memory than available.
std::vector<configuration> plan(const settings& setup, std::uint64_t available_bytes);

}  // namespace jacobi3d
