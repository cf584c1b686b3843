// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "apps/harness/decomposition.hpp"
#include "apps/sweep/options.hpp"

namespace sweep {

/// One line of the table.
struct configuration {
  double odf;
  harness::decomposition cut;  ///< not divided in z
};

/// Divides the grid in x and y into `columns` columns, as square as its shape allows: with the least surface
/// between them, and among equal ones with more cuts across x. Throws std::invalid_argument, with a text for
/// the user that contains the numbers, if there is no such division.
harness::decomposition squarest(const extents& grid, std::int64_t columns);

/// Bytes that the program uses at once: the columns' cells, faces and coefficients, and with --check the
/// serial solver's memory.
double bytes_of_program(const settings& setup, const harness::decomposition& cut);

/// Divides the grid for each overdecomposition factor, or as --chares requires. Throws imbrex::usage_error,
/// with the numbers, if that division is impossible, or if it needs more memory than available.
std::vector<configuration> plan(const settings& setup, std::uint64_t available_bytes);

}  // namespace sweep
