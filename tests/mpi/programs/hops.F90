! SPDX-License-Identifier: Apache-2.0
! Each rank of Fortran goes from PE to PE with its arrays, pointers, texts and units, and all save themselves.
! usage: hops PES STEPS DIR
module state
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  type node
    integer :: value
    type(node), pointer :: next => null()
  end type
  integer :: faults = 0, rank, ranks
  integer, save :: counter = 0
  real(8), dimension(:), allocatable :: field

contains

  subroutine tell(code)
    integer, intent(in) :: code
    integer :: length, ierror
    character(MPI_MAX_ERROR_STRING) :: text
    call MPI_Error_string(code, text, length, ierror)
    write (0, *) text(1:length)
  end subroutine

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    faults = faults + 1
    write (0, *) 'rank', rank, 'step', counter, what
  end subroutine

  recursive subroutine hop(depth, pes)
    integer, intent(in) :: depth, pes
    integer :: kept(8), pe, first, count, ierror
    kept = [(depth * 10 + pe, pe=1, 8)]
    if (depth > 0) then
      call hop(depth - 1, pes)
    else
      call MPIX_Migrate(mod(rank + counter, pes), ierror)
      call expect(ierror == MPI_SUCCESS, 'MPIX_Migrate')
    if (ierror /= MPI_SUCCESS) call tell(ierror)
      call MPIX_Get_pe(pe, first, count, ierror)
      call expect(pe == mod(rank + counter, pes), 'the PE')
    end if
    call expect(all(kept == [(depth * 10 + pe, pe=1, 8)]), 'an array on the stack')
  end subroutine
end module

program hops
  use state
  implicit none
  integer :: pes, steps, i, ierror, errors = 0, total, seed_size, first, count
  integer, dimension(:), allocatable :: seed
  real(8) :: random, sum_of_random = 0, own, whole
  character(256) :: word, folder
  character(:), allocatable :: text
  type(node), pointer :: list => null(), each

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
  call get_command_argument(1, word)
  read (word, *) pes
  call get_command_argument(2, word)
  read (word, *) steps
  call get_command_argument(3, folder)
  call random_seed(size=seed_size)
  seed = [(i + rank, i=1, seed_size)]
  call random_seed(put=seed)
  allocate (field(1000))
  field = rank
  text = ''
  if (rank == 0) write (*, '(a)', advance='no') 'a line '

  do i = 1, steps
    counter = i
    call hop(mod(i, 4), pes)
    allocate (each)
    each%value = i
    each%next => list
    list => each
    write (word, '(i0,a)') i, ','
    text = text // trim(word)
    call random_number(random)
    sum_of_random = sum_of_random + random
    field = field + 0.5d0
    if (mod(i, 50) == 0) deallocate (field)
    if (mod(i, 50) == 0) allocate (field(1000 + i), source=rank + 0.5d0 * i)
    call expect(all(field == rank + 0.5d0 * i), 'an array')
    if (mod(i, 20) == 0) then
      call MPIX_Checkpoint(folder, ierror)
      if (ierror /= MPI_SUCCESS) errors = errors + 1
    end if
  end do

  do i = steps, 1, -1
    call expect(list%value == i, 'a list')
    list => list%next
    write (word, '(i0,a)') i, ','
    text = text(1:len(text) - len_trim(word))
  end do
  call expect(len(text) == 0, 'a text')
  call random_seed(put=seed)
  do i = 1, steps
    call random_number(random)
    sum_of_random = sum_of_random - random
  end do
  call expect(abs(sum_of_random) < 1d-9, 'random numbers')

  ! A unit that is open keeps the rank in its process.
  open (10, status='scratch')
  call MPIX_Get_pe(i, first, count, ierror)
  i = mod(rank + counter + 1, pes)
  call MPIX_Migrate(i, ierror)
  call expect((ierror == MPI_SUCCESS) .eqv. (i >= first .and. i < first + count), 'an open unit')
  close (10)

  own = sum(field)
  call MPI_Reduce(own, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  call MPI_Reduce(faults + errors, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) write (*, '(a,i0,a,f0.1)') 'with its end; faults ', total, ', sum ', whole
  call MPI_Finalize(ierror)
end program
