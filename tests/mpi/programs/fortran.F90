! SPDX-License-Identifier: Apache-2.0
! One program by three interfaces: -DBY_HEADER is mpif.h, -DBY_MODULE the module mpi, else mpi_f08. Data are random,
! and what MPI makes of them is computed here, too.
#if defined(BY_HEADER) || defined(BY_MODULE)
#define HANDLE(kind) integer
#define STATUS_OF(s) integer :: s(MPI_STATUS_SIZE)
#define SOURCE_OF(s) s(MPI_SOURCE)
#define TAG_OF(s) s(MPI_TAG)
#else
#define HANDLE(kind) type(kind)
#define STATUS_OF(s) type(MPI_Status) :: s
#define SOURCE_OF(s) s%MPI_SOURCE
#define TAG_OF(s) s%MPI_TAG
#endif
#ifdef BY_HEADER
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#elif defined(BY_MODULE)
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#endif

module procedures_of_program
  implicit none
  integer :: errors_seen = 0, copies_seen = 0, deletes_seen = 0, queries_seen = 0, frees_seen = 0
contains
  subroutine first_of_both(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding
    USE_MPI
#if defined(BY_HEADER) || defined(BY_MODULE)
    integer :: len, datatype, invec(len), inoutvec(len)
    inoutvec = invec
#else
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: first(:), second(:)
    call c_f_pointer(invec, first, [len])
    call c_f_pointer(inoutvec, second, [len])
    second = first
#endif
    if (datatype /= MPI_INTEGER_OF_PROGRAM()) errors_seen = errors_seen + 1000
  end subroutine

  function MPI_INTEGER_OF_PROGRAM()
    USE_MPI
    INCLUDE_MPI
    HANDLE(MPI_Datatype) :: MPI_INTEGER_OF_PROGRAM
    MPI_INTEGER_OF_PROGRAM = MPI_INTEGER
  end function

  subroutine note_error(comm, code)
    USE_MPI
    HANDLE(MPI_Comm) :: comm
    integer :: code
    errors_seen = errors_seen + 1
  end subroutine

  subroutine copy_attribute(comm, key, extra, value_in, value_out, flag, ierror)
    USE_MPI
    INCLUDE_MPI
    HANDLE(MPI_Comm) :: comm
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    copies_seen = copies_seen + 1
    value_out = value_in + extra
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_attribute(comm, key, value, extra, ierror)
    USE_MPI
    INCLUDE_MPI
    HANDLE(MPI_Comm) :: comm
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra
    deletes_seen = deletes_seen + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine query_request(extra, status, ierror)
    USE_MPI
    INCLUDE_MPI
    integer(MPI_ADDRESS_KIND) :: extra
    STATUS_OF(status)
    integer :: ierror
    queries_seen = queries_seen + 1
    SOURCE_OF(status) = int(extra)
    TAG_OF(status) = int(extra) + 1
    call MPI_Status_set_elements(status, MPI_INTEGER, 3, ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine free_request(extra, ierror)
    USE_MPI
    INCLUDE_MPI
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    frees_seen = frees_seen + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel_request(extra, complete, ierror)
    USE_MPI
    INCLUDE_MPI
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine
end module

program fortran
  USE_MPI
  use procedures_of_program
  implicit none
  INCLUDE_MPI
  integer :: rank, ranks, ierror, failures, checks, in_common
  common /of_program/ in_common
  integer, save :: saved = 5
  failures = 0
  checks = 0
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  saved = saved + rank
  in_common = 100 * rank
  call start_random()
  call check_messages()
  call check_collectives()
  call check_requests()
  call check_types()
  call check_procedures()
  call check_texts()
  call check_topologies()
  call check_windows()
  call check(saved == 5 + rank .and. in_common == 100 * rank, 'variables are the own ones')
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  print '(a,i0,a,i0,a,i0)', 'rank ', rank, ' of ', ranks, ' failures ', failures
  call MPI_Finalize(ierror)
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    checks = checks + 1
    if (condition) return
    failures = failures + 1
    print '(a,i0,a,a)', 'rank ', rank, ' fails: ', what
  end subroutine

  subroutine start_random()
    integer, allocatable :: seed(:)
    integer :: n
    call random_seed(size=n)
    allocate (seed(n))
    seed = 12345 + 678 * rank
    call random_seed(put=seed)
  end subroutine

  subroutine random_integers(values)
    integer, intent(out) :: values(:)
    real :: drawn(size(values))
    call random_number(drawn)
    values = int(1000 * drawn)
  end subroutine

  ! Around the ring, by several functions.
  subroutine check_messages()
    integer, parameter :: n = 321
    double precision :: sent(n), received(n), expected(n)
    integer :: left, right, count
    logical :: flag
    STATUS_OF(status)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call fill(sent, rank)
    call fill(expected, left)
    received = 0
    call MPI_Sendrecv(sent, n, MPI_DOUBLE_PRECISION, right, 7, received, n, MPI_DOUBLE_PRECISION, left, 7, &
                      MPI_COMM_WORLD, status, ierror)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierror)
    call check(all(received == expected) .and. SOURCE_OF(status) == left .and. TAG_OF(status) == 7 .and. count == n, &
               'sendrecv')
    received = 0
    if (rank == 0) then
      call MPI_Send(sent, n - 1, MPI_DOUBLE_PRECISION, right, 8, MPI_COMM_WORLD, ierror)
      call MPI_Recv(received, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, &
                    ierror)
    else
      call MPI_Probe(left, 8, MPI_COMM_WORLD, status, ierror)
      call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierror)
      call MPI_Recv(received, count, MPI_DOUBLE_PRECISION, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      call MPI_Send(sent, n - 1, MPI_DOUBLE_PRECISION, right, 8, MPI_COMM_WORLD, ierror)
    end if
    call check(all(received(:n - 1) == expected(:n - 1)) .and. received(n) == 0, 'send and recv')
    call MPI_Iprobe(left, 99, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
    call check(.not. flag, 'iprobe of nothing')
    call MPI_Sendrecv_replace(sent, n, MPI_DOUBLE_PRECISION, right, 9, left, 9, MPI_COMM_WORLD, status, ierror)
    call check(all(sent == expected), 'sendrecv_replace')
  end subroutine

  subroutine fill(values, seed)
    double precision, intent(out) :: values(:)
    integer, intent(in) :: seed
    integer :: i
    values = [(sin(dble(seed * 1000 + i)), i = 1, size(values))]
  end subroutine

  subroutine check_collectives()
    integer, parameter :: n = 17
    integer :: mine(n), total(n), highest(n), everyone(n * ranks), i
    double precision :: pairs(2), best(2), pi
    integer :: counts(ranks), places(ranks), some(ranks * (ranks + 1) / 2)
    call random_integers(mine)
    call MPI_Allgather(mine, n, MPI_INTEGER, everyone, n, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check(all(everyone(rank * n + 1:(rank + 1) * n) == mine), 'allgather')
    call MPI_Allreduce(mine, total, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call check(all(total == [(sum(everyone(i::n)), i = 1, n)]), 'allreduce')
    highest = mine
    call MPI_Allreduce(MPI_IN_PLACE, highest, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    call check(all(highest == [(maxval(everyone(i::n)), i = 1, n)]), 'allreduce in place')
    pairs = [dble(-abs(mine(1) - 500)), dble(rank)]
    call MPI_Allreduce(pairs, best, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    call check(nint(best(2)) == maxloc([(-abs(everyone(i * n + 1) - 500), i = 0, ranks - 1)], 1) - 1, 'maxloc')
    pi = merge(3.25d0, 0d0, rank == ranks - 1)
    call MPI_Bcast(pi, 1, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, ierror)
    call check(pi == 3.25d0, 'bcast')
    counts = [(i, i = 1, ranks)]
    places = [(i * (i - 1) / 2, i = 1, ranks)]
    some = -1
    call MPI_Gatherv([(rank * 10 + i, i = 0, rank)], rank + 1, MPI_INTEGER, some, counts, places, MPI_INTEGER, 0, &
                     MPI_COMM_WORLD, ierror)
    call MPI_Bcast(some, size(some), MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call check(all(some(places(rank + 1) + 1:places(rank + 1) + rank + 1) == [(rank * 10 + i, i = 0, rank)]), 'gatherv')
    call MPI_Scan(mine, total, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call check(all(total == [(sum(everyone(i:(rank + 1) * n:n)), i = 1, n)]), 'scan')
  end subroutine

  ! Indices count from 1, and what has no status needs none.
  subroutine check_requests()
    HANDLE(MPI_Request) :: requests(4)
    integer :: values(2, 4), index, done, indices(4), i, seen, left, right
    logical :: flag
    STATUS_OF(status)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    do i = 1, 4
      call MPI_Irecv(values(1, i), 2, MPI_INTEGER, left, i, MPI_COMM_WORLD, requests(i), ierror)
    end do
    do i = 4, 1, -1
      call MPI_Send([rank, i], 2, MPI_INTEGER, right, i, MPI_COMM_WORLD, ierror)
    end do
    call MPI_Waitany(4, requests, index, status, ierror)
    call check(index >= 1 .and. index <= 4 .and. TAG_OF(status) == index .and. requests(index) == MPI_REQUEST_NULL, &
               'waitany')
    seen = 1
    do while (seen < 4)
      call MPI_Waitsome(4, requests, done, indices, MPI_STATUSES_IGNORE, ierror)
      do i = 1, done
        call check(requests(indices(i)) == MPI_REQUEST_NULL .and. values(2, indices(i)) == indices(i), 'waitsome')
      end do
      seen = seen + done
    end do
    call MPI_Testany(4, requests, index, flag, MPI_STATUS_IGNORE, ierror)
    call check(flag .and. index == MPI_UNDEFINED, 'testany of no request')
    call check(all(values(1, :) == left), 'irecv')
    call MPI_Isend(rank, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Irecv(values, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    call check(values(1, 1) == left, 'isend')
  end subroutine

  subroutine check_types()
    HANDLE(MPI_Datatype) :: column, pair, real_type, of_some
    integer :: matrix(5, 4), i, size_of, kept(4), other
    integer(MPI_ADDRESS_KIND) :: places(2), lower, extent
    double precision :: x
    integer :: n
#ifdef BY_HEADER
    integer(MPI_ADDRESS_KIND), external :: MPI_Aint_add, MPI_Aint_diff
#endif
    call MPI_Type_vector(4, 1, 5, MPI_INTEGER, column, ierror)
    call MPI_Type_commit(column, ierror)
    matrix = reshape([(100 * rank + i, i = 1, 20)], [5, 4])
    kept = 0
    call MPI_Sendrecv(matrix(3, 1), 1, column, rank, 0, kept, 4, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierror)
    call check(all(kept == matrix(3, :)), 'vector')
    call MPI_Type_get_extent(column, lower, extent, ierror)
    call MPI_Type_size(column, size_of, ierror)
    call check(extent == 64 .and. size_of == 16, 'extent and size')
    call MPI_Type_free(column, ierror)
    call check(column == MPI_DATATYPE_NULL, 'type_free')
    ! By absolute addresses
    x = 0.5d0 + rank
    n = 70 + rank
    call MPI_Get_address(x, places(1), ierror)
    call MPI_Get_address(n, places(2), ierror)
    call MPI_Type_create_struct(2, [1, 1], places, [MPI_DOUBLE_PRECISION, MPI_INTEGER], pair, ierror)
    call MPI_Type_commit(pair, ierror)
    call MPI_Bcast(MPI_BOTTOM, 1, pair, 0, MPI_COMM_WORLD, ierror)
    call check(x == 0.5d0 .and. n == 70, 'bottom')
    call MPI_Type_free(pair, ierror)
    call MPI_Type_create_f90_real(15, 307, real_type, ierror)
    call MPI_Type_size(real_type, size_of, ierror)
    call check(size_of == 8, 'type_create_f90_real')
    call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, of_some, ierror)
    call MPI_Type_size(of_some, size_of, ierror)
    call check(size_of == 4, 'type_match_size')
#ifndef BY_HEADER
    call MPI_Sizeof(matrix, other, ierror)
    call check(other == 4, 'sizeof of an array')
    call MPI_Sizeof(x, other, ierror)
    call check(other == 8, 'sizeof')
#endif
    extent = MPI_Aint_add(lower, 5_MPI_ADDRESS_KIND)
    call check(MPI_Aint_diff(extent, lower) == 5, 'aint_add')
  end subroutine

  subroutine check_procedures()
    HANDLE(MPI_Op) :: op
    HANDLE(MPI_Errhandler) :: handler
    HANDLE(MPI_Comm) :: copy
    HANDLE(MPI_Request) :: request
    STATUS_OF(status)
    integer :: mine(3), everyone(3 * ranks), combined(3), key, count
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag, commutes
    call random_integers(mine)
    call MPI_Allgather(mine, 3, MPI_INTEGER, everyone, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call MPI_Op_create(first_of_both, .false., op, ierror)
    call MPI_Op_commutative(op, commutes, ierror)
    call MPI_Allreduce(mine, combined, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
    call check(all(combined == everyone(:3)) .and. .not. commutes, 'operation of the program')
    call MPI_Op_free(op, ierror)

    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
    call MPI_Comm_create_errhandler(note_error, handler, ierror)
    call MPI_Comm_set_errhandler(copy, handler, ierror)
    call MPI_Errhandler_free(handler, ierror)
    errors_seen = 0
    call MPI_Send(mine, -1, MPI_INTEGER, 0, 0, copy, ierror)
    call check(errors_seen == 1 .and. ierror /= MPI_SUCCESS, 'error handler')
    call MPI_Comm_free(copy, ierror)
    call check(copy == MPI_COMM_NULL, 'comm_free')

    call MPI_Comm_create_keyval(copy_attribute, delete_attribute, key, 1000_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 7_MPI_ADDRESS_KIND + 2_MPI_ADDRESS_KIND**40, ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
    call MPI_Comm_get_attr(copy, key, value, flag, ierror)
    call check(flag .and. value == 1007 + 2_MPI_ADDRESS_KIND**40 .and. copies_seen == 1, 'attribute of a copy')
    call MPI_Comm_free(copy, ierror)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierror)
    call check(deletes_seen == 2, 'attributes deleted')
    call MPI_Comm_free_keyval(key, ierror)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, int(rank, MPI_ADDRESS_KIND), ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
    call MPI_Comm_get_attr(copy, key, value, flag, ierror)
    call check(flag .and. value == rank, 'MPI_COMM_DUP_FN')
    call MPI_Comm_free(copy, ierror)
    call MPI_Comm_free_keyval(key, ierror)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
    call check(flag .and. value >= 32767, 'tag_ub')

    call MPI_Grequest_start(query_request, free_request, cancel_request, int(rank, MPI_ADDRESS_KIND), request, ierror)
    call MPI_Grequest_complete(request, ierror)
    call MPI_Wait(request, status, ierror)
    call MPI_Get_count(status, MPI_INTEGER, count, ierror)
    call check(count == 3 .and. SOURCE_OF(status) == rank .and. queries_seen == 1 .and. frees_seen == 1, &
               'request of the program')
  end subroutine

  subroutine check_texts()
    character(len=12) :: short
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=MPI_MAX_ERROR_STRING) :: words
    character(len=8) :: value
    HANDLE(MPI_Info) :: info
    HANDLE(MPI_Comm) :: copy
    integer :: length, keys
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_SELF, copy, ierror)
    short = 'two words'
    call MPI_Comm_set_name(copy, short, ierror)
    name = repeat('x', len(name))
    call MPI_Comm_get_name(copy, name, length, ierror)
    call check(name == 'two words' .and. length == 9, 'names end at their blanks, and are filled with blanks')
    call MPI_Comm_free(copy, ierror)
    call MPI_Error_string(MPI_ERR_RANK, words, length, ierror)
    call check(length > 0 .and. len_trim(words) == length, 'error_string')
    call MPI_Info_create(info, ierror)
    call MPI_Info_set(info, ' key ', ' a longer value ', ierror)
    call MPI_Info_get_nkeys(info, keys, ierror)
    call MPI_Info_get(info, 'key', len(value), value, flag, ierror)
    call check(keys == 1 .and. flag .and. value == 'a longer', 'info_get')
    value = 'as it is'
    call MPI_Info_get(info, 'other', len(value), value, flag, ierror)
    call check(.not. flag .and. value == 'as it is', 'info_get of no key')
    call MPI_Info_get_nthkey(info, 0, name, ierror)
    call check(name == 'key', 'info_get_nthkey')
    call MPI_Info_free(info, ierror)
    call check(MPI_Wtime() >= 0 .and. MPI_Wtick() > 0, 'wtime')
  end subroutine

  subroutine check_topologies()
    HANDLE(MPI_Comm) :: ring, graph
    logical :: periods(1), kept(1), weighted
    integer :: dims(1), coords(1), before, after, in, out, sources(1), weights(1)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, ierror)
    call MPI_Cart_get(ring, 1, dims, periods, coords, ierror)
    call check(dims(1) == ranks .and. periods(1) .and. coords(1) == rank, 'cart_get')
    call MPI_Cart_shift(ring, 0, 1, before, after, ierror)
    call check(before == mod(rank + ranks - 1, ranks) .and. after == mod(rank + 1, ranks), 'cart_shift')
    call MPI_Comm_free(ring, ierror)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [before], MPI_UNWEIGHTED, 1, [after], MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, ierror)
    call MPI_Dist_graph_neighbors_count(graph, in, out, weighted, ierror)
    call check(in == 1 .and. out == 1 .and. .not. weighted, 'unweighted')
    call MPI_Dist_graph_neighbors(graph, 1, sources, MPI_UNWEIGHTED, 1, coords, MPI_UNWEIGHTED, ierror)
    call check(sources(1) == before .and. coords(1) == after, 'dist_graph_neighbors')
    kept = weighted
    weights = 0
    call MPI_Comm_free(graph, ierror)
  end subroutine

  subroutine check_windows()
    HANDLE(MPI_Win) :: win
    integer :: memory(4), got, right, left
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    memory = rank
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierror)
    call check(flag .and. value == 16, 'win_size')
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierror)
    call check(flag .and. value == 4, 'win_disp_unit')
    call MPI_Win_fence(0, win, ierror)
    call MPI_Put(100 + rank, 1, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierror)
    call MPI_Get(got, 1, MPI_INTEGER, left, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    call check(memory(3) == 100 + left .and. got == left .and. memory(1) == rank, 'put and get')
    call MPI_Win_free(win, ierror)
  end subroutine
end program
