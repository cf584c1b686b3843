// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "apps/jacobi3d/measurement.hpp"

namespace jacobi3d {

/// A configuration and what it has come to.
struct finished {
  configuration chosen;
  measurement result;
};

/// What the reports say about where the program runs.
struct platform {
  std::string machine;
  int processes = 1;
  bool plain_loop = true;  ///< one runs beside the blocks; else ratios are those of the first row
};

/// What stands above the rows: the run in words, and the names of the columns.
std::string table_head(const settings& setup, const platform& where);
/// Its ratio is that of the plain loop, where one ran, or else that of the first row.
std::string table_row(const finished& outcome, const finished& first);

/// Two sentences about the whole table; of at least two configurations with ratios.
std::string summary(std::span<const finished> all);

/// One object, without a line end: app, grid (cells), blocks (of the array), odf, pes, processes, iters,
/// us_per_iter, cells_per_s, checksum ("0x" and 16 digits) and residual (null with --no-data),
/// max_abs_error (null if not checked), machine, device, overlap; with a device streams, completion and
/// device_model.
std::string json_line(const settings& setup, const platform& where, const finished& outcome);

/// A line of the standard error output that grows, where that is a terminal; otherwise nothing.
class progress_bar {
 public:
  explicit progress_bar(bool wanted);
  ~progress_bar() { clear(); }
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// `part` of a piece of work is done, 0 to 1.
  void show(const std::string& what, double part);
  /// Takes the line away, for others to write there.
  void clear();

 private:
  bool shown_;
  bool drawn_ = false;
};

}  // namespace jacobi3d
