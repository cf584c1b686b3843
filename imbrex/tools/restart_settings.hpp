// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::tools {

/// Folders of checkpoints in memory have this beginning and their launcher's process id.
inline constexpr const char* checkpoints_in_memory = "/dev/shm/imbrex-checkpoints-";

/// Settings of the restarts of a job in which a process has died.
struct restart_settings {
  int most = 0;               ///< `--restarts N`
  std::string folder{};       ///< folder of the job's checkpoints; empty: it is not started anew
  int signal = 0;             ///< signal by which process 0 is asked for a checkpoint
  bool is_in_memory = false;  ///< `--checkpoint-memory`: the folder is in memory, and is removed at the end
};

}  // namespace imbrex::tools
