// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// A rank's exit status as the system keeps it: 8 bits. Fails the run for another status than 0 between
/// MPI_Init and MPI_Finalize: other ranks may wait for this one. Called on the rank's stack.
int status_at_end(int status);

/// Ends the running rank, which has called exit or a similar function.
[[noreturn]] void end_rank(int status);

/// Ends this process. One of its ranks has called exit, or a similar function, on a thread that it has
/// started. The rank's main cannot be made to return.
[[noreturn]] void end_process_of(int rank, int status);

}  // namespace imbrex::mpi
