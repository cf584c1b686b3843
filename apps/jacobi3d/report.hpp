// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "apps/jacobi3d/measurement.hpp"

namespace jacobi3d {

/// A configuration and its results.
struct finished {
  configuration chosen;
  measurement result;
};

/// Properties of the platform that appear in reports.
struct platform {
  std::string machine;
  int processes = 1;
  bool plain_loop = true;  ///< if false, no plain loop runs, and ratios are relative to the first row
};

/// The text above the rows: a description of the run, and the names of the columns.
std::string table_head(const settings& setup, const platform& where);
/// A row of the table. Its ratio is relative to the plain loop, if it ran, or else to the first row.
std::string table_row(const finished& outcome, const finished& first);

/// Two sentences about the whole table, for at least two configurations with ratios.
std::string summary(std::span<const finished> all);

/// One object, without a line end: app, grid (cells), blocks (of the array), odf, pes, processes, iters,
/// us_per_iter, cells_per_s, checksum ("0x" and 16 digits) and residual (null with --no-data),
/// max_abs_error (null if not checked), machine, device, overlap; with a device streams, completion and
/// device_model.
std::string json_line(const settings& setup, const platform& where, const finished& outcome);

/// A growing line on the standard error output, if that is a terminal; otherwise nothing.
class progress_bar {
 public:
  explicit progress_bar(bool is_requested);
  ~progress_bar() { clear(); }
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// Shows that the fraction `part` (0 to 1) of the work is complete.
  void show(const std::string& what, double part);
  /// Removes the line, so that other output can be written there.
  void clear();

 private:
  bool shown_;
  bool drawn_ = false;
};

}  // namespace jacobi3d
