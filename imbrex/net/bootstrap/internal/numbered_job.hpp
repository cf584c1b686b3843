// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace imbrex {

/// Data from a launcher that numbers its processes but does not connect them: torchrun, `srun --mpi=none`.
struct numbered_job {
  std::string launcher;
  int rank = 0;
  int size = 1;
  std::string identity;  ///< equal in all processes of the job, and in no other
  bool is_on_one_host = true;
  std::string address;  ///< address of process 0's host
  int port = 0;         ///< process 0 listens on the first free port after this, of some
};

/// The job of this process, from RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or from Slurm's variables in
/// the tasks of a step. Nothing if neither is set, or for a single process. Throws `usage_error` for a
/// variable with an invalid value.
std::optional<numbered_job> find_numbered_job();

/// The first host of a list in Slurm's form: "n1" of "n[1-4,7],login".
std::string first_host_of(const std::string& list);

/// The content of the file that IMBREX_SECRET_FILE names; nothing if the variable is not set. Throws
/// `usage_error` unless the file belongs to this user alone, no other user may read or write it, and it is
/// long enough.
std::optional<std::string> read_secret_file();

}  // namespace imbrex
