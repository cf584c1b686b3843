// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace imbrex::tools {

/// What `imbrex run` is asked for.
struct job_settings {
  int processes = 1;
  int ranks = 0;                                     ///< ranks of MPI in all processes; 0: no program of MPI
  bool prefix = false;                               ///< "[rank] " before each line
  std::optional<std::chrono::milliseconds> timeout;  ///< the job may run this long
  std::vector<std::string> command;                  ///< the program and its arguments
  std::vector<std::pair<std::string, std::string>> environment;  ///< what it gets there besides
};

/// Runs the job to its end and returns its status: 0, or that of the process that failed first (128 and the
/// signal's number if it was killed), or `timeout_status`. Takes the process over: its signals, its children.
/// Throws `usage_error` if the program cannot be run, `error` if not all processes can be started; then none
/// is left.
int run_job(const job_settings& settings);

}  // namespace imbrex::tools
