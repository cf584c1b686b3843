// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// Reports an unsupported function, with a remedy, to the error handler of MPI_COMM_WORLD. Returns an error
/// code of class MPI_ERR_UNSUPPORTED_OPERATION.
int refuse_absent(const char* function, const char* remedy);

}  // namespace imbrex::mpi
