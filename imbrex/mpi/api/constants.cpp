// SPDX-License-Identifier: Apache-2.0
// Objects that programs recognise by their address alone.
#include <imbrex/mpi/include/mpi.h>

namespace {

int unweighted[1];
int weights_empty[1];
int fortran_status_ignore[MPI_F_STATUS_SIZE];
MPI_F08_status f08_status_ignore;

}  // namespace

extern "C" {
int* const MPI_UNWEIGHTED = unweighted;
int* const MPI_WEIGHTS_EMPTY = weights_empty;
MPI_Fint* MPI_F_STATUS_IGNORE = fortran_status_ignore;
MPI_Fint* MPI_F_STATUSES_IGNORE = fortran_status_ignore;
MPI_F08_status* MPI_F08_STATUS_IGNORE = &f08_status_ignore;
MPI_F08_status* MPI_F08_STATUSES_IGNORE = &f08_status_ignore;
MPIR_T_pvar_handle_s* const MPI_T_PVAR_ALL_HANDLES = nullptr;
}
