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

/// Bytes that all blocks of a decomposition need: two copies of their cells, padding, halos, and the
/// runtime's own.
double bytes_of_blocks(const decomposition& cut);

/// Bytes that the program holds at once for a configuration: its blocks, the plain loop's two copies of the
/// grid and, with --check, the serial loop's two.
double bytes_of_program(const settings& setup, const decomposition& cut);

/// Cuts the grid for each overdecomposition factor. Throws imbrex::usage_error, with the numbers, if there
/// are more chares than cells, if no cut into so many blocks exists, or if that needs more memory than is
/// available.
std::vector<configuration> plan(const settings& setup, std::uint64_t available_bytes);

}  // namespace jacobi3d
