// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// Tells the error handler of MPI_COMM_WORLD that a function is not there, and what a program can do in its
/// place. Returns the code of an error of the class MPI_ERR_UNSUPPORTED_OPERATION.
int refuse_absent(const char* function, const char* remedy);

}  // namespace imbrex::mpi
