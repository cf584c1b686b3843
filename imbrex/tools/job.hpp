// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/tools/cleaner.hpp>
#include <imbrex/tools/foreign_launcher.hpp>
#include <imbrex/tools/job_environment.hpp>
#include <imbrex/tools/metrics/metrics_address.hpp>
#include <imbrex/tools/process/signal_source.hpp>
#include <imbrex/tools/restart_settings.hpp>

namespace imbrex::tools {

/// One of several programs of a job, on consecutive processes.
struct job_program {
  int processes = 1;
  std::vector<std::string> command;
  environment_variables environment;
};

/// Settings of `imbrex run`.
struct job_settings {
  int processes = 1;
  int ranks = 0;                                     ///< MPI ranks in all processes; 0: no MPI program
  bool prefix = false;                               ///< "[rank] " before each line
  std::optional<std::chrono::milliseconds> timeout;  ///< longest time of the job, with all its restarts
  std::vector<std::string> command;                  ///< the program and its arguments
  environment_variables environment;                 ///< additional variables of its environment
  /// The programs of a job with several, instead of `command` and `environment`.
  std::vector<job_program> programs;
  /// Name of the launcher, such as "srun", that starts the processes; empty: this command does.
  std::string foreign_launcher;
  int pes = 0;  ///< PEs of each process; 0: their share of the processors
  restart_settings restarts;
  std::optional<metrics_address> metrics;  ///< where figures of the processes are to be had

  bool is_foreign() const { return !foreign_launcher.empty(); }
};

/// The end of a job.
struct job_end {
  int status = 0;
  bool is_by_death =
      false;  ///< a signal killed a process, and neither the launcher nor the user ended the job
  bool is_by_request = false;  ///< the user has ended the job, or the launcher for its --timeout
  bool is_for_resize = false;  ///< the job ended in order to go on with another number of processes
  int next_processes = 0;      ///< the number of processes that `imbrex resize` has asked for; 0: none
  std::optional<slurm_nodes> next_nodes{};  ///< the nodes of Slurm for them, if these have changed
};

/// Signals and the cleaner of a launcher, for all its jobs.
struct launcher {
  signal_source signals{{}, {SIGUSR1, SIGUSR2}};  ///< batch systems send these as warnings
  cleaner clean;
};

/// Runs the job to its end. The status is 0, or the status of the process that failed first (128 and the
/// signal's number if it was killed), or `timeout_status`. Takes over this process's children. Throws
/// `usage_error` if the program cannot be run, `error` if not all processes can be started; then no process
/// is left.
job_end run_job(const job_settings& settings, const launcher& by);

}  // namespace imbrex::tools
