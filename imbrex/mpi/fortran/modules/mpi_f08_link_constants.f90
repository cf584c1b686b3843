! SPDX-License-Identifier: Apache-2.0
! Variables that functions know by their address alone; imbrex/mpi/fortran/names.cpp looks for them.
module mpi_f08_link_constants
use, intrinsic :: iso_c_binding, only: c_int
use mpi_f08_types, only: MPI_Status
implicit none
private :: c_int
integer(c_int), bind(C, name="MPIR_F08_MPI_BOTTOM"), target :: MPI_BOTTOM
integer(c_int), bind(C, name="MPIR_F08_MPI_IN_PLACE"), target :: MPI_IN_PLACE
type(MPI_Status), bind(C, name="MPIR_F08_MPI_STATUS_IGNORE_OBJ"), target :: MPI_STATUS_IGNORE
type(MPI_Status), dimension(1), bind(C, name="MPIR_F08_MPI_STATUSES_IGNORE_OBJ"), target :: MPI_STATUSES_IGNORE
integer, dimension(1), target :: MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, MPI_ERRCODES_IGNORE
character(len=1), dimension(1), target :: MPI_ARGV_NULL
character(len=1), dimension(1, 1), target :: MPI_ARGVS_NULL
end module
