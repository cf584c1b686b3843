// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/tools/job_environment.hpp>
#include <imbrex/tools/process/program_start.hpp>

namespace imbrex::tools {

/// A process of the job, and the launcher's ends of its socket and pipes.
struct rank_process {
  pid_t pid;
  descriptor socket;  // bootstrap connection; non-blocking, as are the pipes
  descriptor standard_output;
  descriptor standard_error;
};

/// The program of a job's processes, and what they inherit.
struct process_request {
  const std::vector<std::string>& command;
  const environment_variables& environment;  ///< additional variables
  int kept_open;                             ///< a descriptor that the process keeps until its end
  int ignored;                               ///< a signal that a rank ignores at first; 0: none
  const inherited_state& state;
};

/// Starts process `rank` of `size`. The process is killed when this thread ends. `launcher_pipe`: reading end
/// of a pipe whose other end only the launcher has. Throws `usage_error` if the program cannot be run,
/// `error` if the system cannot start another process.
rank_process start_rank(const process_request& request, int rank, int size, const descriptor& launcher_pipe);

/// Starts a launcher that starts the processes itself, such as srun. It gets SIGTERM when this thread ends.
/// There is no bootstrap connection. Otherwise as `start_rank`.
rank_process start_foreign_launcher(const process_request& request);

}  // namespace imbrex::tools
