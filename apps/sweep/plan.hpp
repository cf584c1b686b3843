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
  harness::decomposition cut;  ///< not in z
};

/// Cuts the grid in x and y into so many columns, as square as its shape allows: with the least surface
/// between them, and among equal ones with more cuts across x. Throws std::invalid_argument, with a text for
/// the user that names the numbers, when there is no such cut.
harness::decomposition squarest(const extents& grid, std::int64_t columns);

/// Bytes that the program holds at once: the columns' cells, faces and coefficients, and with --check the
/// serial solver's.
double bytes_of_program(const settings& setup, const harness::decomposition& cut);

/// Cuts the grid for each overdecomposition factor, or as --chares says. Throws imbrex::usage_error, with the
/// numbers, if the grid cannot be cut so, or if that needs more memory than is available.
std::vector<configuration> plan(const settings& setup, std::uint64_t available_bytes);

}  // namespace sweep
