// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "apps/sweep/measurement.hpp"

namespace sweep {

/// A configuration and its results.
struct finished {
  configuration chosen;
  measurement result;
};

/// The text above the rows: a description of the run, and the names of the columns.
std::string table_head(const settings& setup);
/// A row of the table. The grind time is the time of an iteration divided by the number of cells and angles;
/// each cell has all angles in each octant.
std::string table_row(const settings& setup, const finished& outcome);

/// One object, without a line end: app, grid (cells), chares (in x and y), odf, pes, processes,
/// angles_per_octant, planes, angles, spin_us, iters, us_per_iter, grind_ns, checksum ("0x" and 16 digits),
/// residual, balance_error (the fraction of the source that is neither absorbed nor leaks), max_abs_error
/// (null if not checked), machine.
std::string json_line(const settings& setup, const finished& outcome);

}  // namespace sweep
