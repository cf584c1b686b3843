// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// What a rank's status is to the system, which keeps 8 bits of it. A status other than 0 fails the run if
/// the rank has begun MPI and not ended it: others may wait for it. On the rank's stack.
int status_at_end(int status);

/// Ends the rank that runs here, which has called exit or its like.
[[noreturn]] void end_rank(int status);

/// Ends this process, because a rank of it has called exit or its like on a thread that it has started: its
/// main cannot be made to return.
[[noreturn]] void end_process_of(int rank, int status);

}  // namespace imbrex::mpi
