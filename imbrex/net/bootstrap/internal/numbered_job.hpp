// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace imbrex {

/// What a launcher says that numbers its processes but does not help them to find each other: torchrun, `srun
/// --mpi=none`.
struct numbered_job {
  std::string launcher;
  int rank = 0;
  int size = 1;
  std::string identity;  ///< alike in all processes of the job, and in no other
  bool is_on_one_host = true;
  std::string address;  ///< of process 0's host
  int port = 0;         ///< process 0 takes the first free one of some behind it
};

/// From RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or what Slurm sets in the tasks of a step; nothing if
/// neither is set, or for a single process. Throws `usage_error` for a variable with an impossible value.
std::optional<numbered_job> find_numbered_job();

/// The first host of a list as Slurm writes it: "n1" of "n[1-4,7],login".
std::string first_host_of(const std::string& list);

/// What is in the file that IMBREX_SECRET_FILE names; nothing if that is not set. Throws `usage_error` unless
/// it is a file of this user's that nobody else may read or write, and long enough.
std::optional<std::string> read_secret_file();

}  // namespace imbrex
