! SPDX-License-Identifier: Apache-2.0
! Sections of arrays as buffers of mpi_f08: of random shapes and strides, sent and received in place by blocking and nonblocking
! functions; compared with contiguous copies of them.
program sections
  use mpi_f08
  implicit none
  type :: particle
    real(8) :: mass
    integer :: kind
    real(8) :: place(3)
  end type
  integer :: rank, ranks, failures, round, left, right
  failures = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  do round = 1, 20
    call exchange(round)
  end do
  call reduce_sections()
  call gather_sections()
  call components()
  call texts()
  call refusals()
  print '(a,i0,a,i0,a,i0)', 'rank ', rank, ' of ', ranks, ' failures ', failures
  call MPI_Finalize()
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    print '(a,i0,a,a)', 'rank ', rank, ' fails: ', what
  end subroutine

  ! Equal on all ranks.
  integer function random_below(n, round, which)
    integer, intent(in) :: n, round, which
    random_below = mod(1103515 * (17 * round + which) + 12345, n)
  end function

  subroutine exchange(round)
    integer, intent(in) :: round
    integer :: a(9, 8, 7), b(9, 8, 7), before(9, 8, 7), i, n, part, first(3), step(3), last(3), left_a(9, 8, 7)
    integer, allocatable :: packed(:)
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status
    do i = 1, 3
      first(i) = 1 + random_below(3, round, i)
      step(i) = 1 + random_below(3, round, 3 + i)
      last(i) = 10 - i - random_below(2, round, 6 + i)
    end do
    if (mod(round, 4) == 0) then  ! backwards
      i = first(2)
      first(2) = last(2)
      last(2) = i
      step(2) = -step(2)
    end if
    a = reshape([(1000 * rank + i, i = 1, size(a))], shape(a))
    left_a = reshape([(1000 * left + i, i = 1, size(a))], shape(a))
    b = -1
    associate (s => a(first(1):last(1):step(1), first(2):last(2):step(2), first(3):last(3):step(3)), &
               l => left_a(first(1):last(1):step(1), first(2):last(2):step(2), first(3):last(3):step(3)))
      n = size(s)
      allocate (packed(n))
      packed = reshape(l, [n])
      part = max(1, n - random_below(n, round, 11))  ! not all of them, perhaps
      ! From a section into a section of another shape: all of b's rows but in reverse.
      before = b
      call MPI_Irecv(b(9:1:-1, :, 1:7:2), part, MPI_INTEGER, left, round, MPI_COMM_WORLD, requests(1))
      call MPI_Isend(s, part, MPI_INTEGER, right, round, MPI_COMM_WORLD, requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call compare(b(9:1:-1, :, 1:7:2), packed, part, 'isend and irecv')
      call check(all(b(:, :, 2:6:2) == -1), 'beside the section')
      b = -1
      call MPI_Sendrecv(s, n, MPI_INTEGER, right, 3, b(1:9:2, 2:8, :), 4 * n, MPI_BYTE, left, 3, MPI_COMM_WORLD, status)
      call compare(b(1:9:2, 2:8, :), packed, n, 'sendrecv')
      ! A datatype with gaps, over the section: by a copy of it.
      b = -1
      call two_of_three(s, b(:, 1:8:2, :), packed)
    end associate
    call check(all(a == reshape([(1000 * rank + i, i = 1, size(a))], shape(a))), 'what is sent stays')
  end subroutine

  subroutine compare(got, wanted, n, what)
    integer, intent(in) :: got(:, :, :), wanted(:), n
    character(len=*), intent(in) :: what
    integer, allocatable :: flat(:)
    flat = reshape(got, [size(got)])
    call check(all(flat(:n) == wanted(:n)) .and. all(flat(n + 1:) == -1), what)
  end subroutine

  subroutine two_of_three(sent, received, packed)
    integer, intent(in) :: sent(:, :, :), packed(:)
    integer, intent(inout) :: received(:, :, :)
    type(MPI_Datatype) :: two, gaps
    integer, allocatable :: flat(:)
    integer :: n, i
    n = min(size(sent), size(received)) / 3
    if (n == 0) return
    call MPI_Type_contiguous(2, MPI_INTEGER, two)
    call MPI_Type_create_resized(two, 0_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND, gaps)
    call MPI_Type_commit(gaps)
    call MPI_Sendrecv(sent, n, gaps, right, 4, received, n, gaps, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    flat = reshape(received, [size(received)])
    do i = 1, n
      call check(all(flat(3 * i - 2:3 * i - 1) == packed(3 * i - 2:3 * i - 1)) .and. flat(3 * i) == -1, 'gaps')
    end do
    call MPI_Type_free(two)
    call MPI_Type_free(gaps)
  end subroutine

  subroutine reduce_sections()
    real(8) :: a(6, 5), b(5, 6)
    integer :: i
    a = reshape([(dble(i * (rank + 1)), i = 1, 30)], [6, 5])
    b = 0
    call MPI_Allreduce(a(2:6:2, 1:5:2), b(::2, ::2), 9, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call check(all(b(::2, ::2) == a(2:6:2, 1:5:2) / (rank + 1) * (ranks * (ranks + 1) / 2)), 'allreduce')
    call check(all(b(2::2, :) == 0) .and. all(b(:, 2::2) == 0), 'beside the sum')
    call MPI_Allreduce(MPI_IN_PLACE, b(::2, ::2), 9, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call check(all(b(::2, ::2) == a(2:6:2, 1:5:2) / (rank + 1) * (ranks * (ranks + 1) / 2)), 'allreduce in place')
    call MPI_Bcast(a(3, :), 5, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD)
    call check(all(a(3, :) == [(dble((6 * i + 3) * ranks), i = 0, 4)]), 'bcast of a row')
  end subroutine

  subroutine gather_sections()
    integer :: all_of(2, 3 * ranks), mine(4, 3), i
    mine = reshape([(100 * rank + i, i = 1, 12)], [4, 3])
    all_of = -1
    call MPI_Allgather(mine(2, :), 3, MPI_INTEGER, all_of(2, :), 3, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(all_of(1, :) == -1), 'beside what is gathered')
    do i = 0, ranks - 1
      call check(all(all_of(2, 3 * i + 1:3 * i + 3) == 100 * i + [2, 6, 10]), 'allgather')
    end do
  end subroutine

  subroutine components()
    type(particle) :: some(5), others(7)
    integer :: i
    do i = 1, 5
      some(i) = particle(rank + i / 8d0, i, [1d0, 2d0, 3d0])
    end do
    others = particle(-1, -1, [0d0, 0d0, 0d0])
    call MPI_Sendrecv(some%mass, 5, MPI_DOUBLE_PRECISION, right, 5, others(7:1:-1)%mass, 5, MPI_DOUBLE_PRECISION, left, 5, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(others(7:3:-1)%mass == [(left + i / 8d0, i = 1, 5)]) .and. others(1)%mass == -1 .and. &
               all(others%kind == -1), 'components')
  end subroutine

  subroutine texts()
    character(len=3) :: words(6)
    words = 'old'
    if (rank == 0) words(1:5:2) = ['one', 'two', 'six']
    call MPI_Bcast(words(1:5:2), 9, MPI_CHARACTER, 0, MPI_COMM_WORLD)
    call check(all(words == ['one', 'old', 'two', 'old', 'six', 'old']), 'texts')
  end subroutine

  subroutine refusals()
    integer :: a(10), b(5), ierror
    type(MPI_Request) :: request
    a = 1
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Iallreduce(a(1:10:2), b, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
    call check(ierror /= MPI_SUCCESS, 'a nonblocking reduction of a section is refused')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  end subroutine
end program
