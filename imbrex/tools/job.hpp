// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace imbrex::tools {

/// Settings of `imbrex run`.
struct job_settings {
  int processes = 1;
  int ranks = 0;                                     ///< MPI ranks in all processes; 0: no MPI program
  bool prefix = false;                               ///< "[rank] " before each line
  std::optional<std::chrono::milliseconds> timeout;  ///< longest time of the job
  std::vector<std::string> command;                  ///< the program and its arguments
  std::vector<std::pair<std::string, std::string>> environment;  ///< additional variables of its environment
};

/// Runs the job to its end and returns its status. It is 0, or the status of the process that failed first
/// (128 and the signal's number if it was killed), or `timeout_status`. Takes over this process's signals and
/// children. Throws `usage_error` if the program cannot be run, `error` if not all processes can be started;
/// then no process is left.
int run_job(const job_settings& settings);

}  // namespace imbrex::tools
