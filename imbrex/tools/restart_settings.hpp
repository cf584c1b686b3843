// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace imbrex::tools {

/// Folders of checkpoints in memory have this beginning and their launcher's process id.
inline constexpr const char* checkpoints_in_memory = "/dev/shm/imbrex-checkpoints-";

/// Settings of the restarts of a job in which a process has died.
struct restart_settings {
  int most = 0;          ///< `--restarts N`
  std::string folder{};  ///< folder of the job's checkpoints; empty: it is not started anew
  /// Each host has a folder for itself: `--checkpoint-hosts partner` or `xor`.
  bool have_hosts_own_folders = false;
  int signal = 0;             ///< signal by which process 0 is asked for a checkpoint
  bool is_in_memory = false;  ///< `--checkpoint-memory`: the folder is in memory, and is removed at the end
};

/// The number of the newest checkpoint from which the job can go on; 0: none.
std::uint64_t newest_checkpoint(const restart_settings& job);

}  // namespace imbrex::tools
