! SPDX-License-Identifier: Apache-2.0
! Output of ranks to their units: lines in parts, with functions of MPI between them, long lines, and a file of each
! rank by one unit.
program output
  use mpi
  implicit none
  integer :: rank, ranks, ierror, i, read_back
  character(len=20) :: name
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  do i = 1, 3
    write (*, '(a,i0)', advance='no') 'first of rank ', rank
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    write (*, '(a,i0)') ', second ', i
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  write (*, '(20000a)') repeat(achar(iachar('a') + rank), 20000)
  write (name, '(a,i0)') 'unit_', rank
  open (unit=17, file=name, status='replace')
  do i = 1, 5
    write (17, *) 10 * rank + i
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  rewind (17)
  do i = 1, 5
    read (17, *) read_back
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    if (read_back /= 10 * rank + i) print *, 'rank', rank, 'reads', read_back
  end do
  close (17, status='delete')
  call MPI_Finalize(ierror)
end program
