! SPDX-License-Identifier: Apache-2.0
! The first two ranks have nine times the load of the others, until a balancer has them apart. By -DBY_HEADER with
! mpif.h, by -DBY_MODULE with the module mpi, else with mpi_f08.
program balanced
#if defined(BY_MODULE)
  use mpi
#elif !defined(BY_HEADER)
  use mpi_f08
#endif
  implicit none
#ifdef BY_HEADER
  include 'mpif.h'
#endif
  integer :: rank, ranks, pe, first, pes, ierror
  integer, allocatable :: places(:)
  double precision :: load
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  allocate (places(ranks))
  load = 1
  if (rank < 2) load = 9
  do
    call AMPI_Load_start_measure(ierror)
    call AMPI_Load_set_value(load, ierror)
    call AMPI_Migrate(AMPI_INFO_LB_SYNC, ierror)
    call AMPI_Load_stop_measure(ierror)
    if (ierror /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    call MPIX_Get_pe(pe, first, pes, ierror)
    call MPI_Allgather(pe, 1, MPI_INTEGER, places, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    if (places(1) /= places(2)) exit
  end do
  if (rank == 0) print '(a)', 'the heavy ranks are apart'
  call MPI_Finalize(ierror)
end program
