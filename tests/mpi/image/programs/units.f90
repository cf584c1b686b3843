! SPDX-License-Identifier: Apache-2.0
! Saved and common variables, initialised data, units and the end of the program belong to one copy of a Fortran program.
module of_copy
  implicit none
  integer :: in_module = 3
  real, dimension(1000) :: table = 1.5
  interface
    integer(c_int) function copy_number() bind(c)
      use iso_c_binding
    end function
    subroutine copy_yield() bind(c)
    end subroutine
  end interface
contains
  integer function calls()
    integer, save :: count = 0
    count = count + 1
    calls = count
  end function
  subroutine apply(f)
    interface
      subroutine f()
      end subroutine
    end interface
    call f()
  end subroutine
end module

program units
  use of_copy
  implicit none
  integer :: me, i, failures, read_back, in_common
  character(len=32) :: name
  common /shared/ in_common
  me = copy_number()
  failures = 0
  in_module = in_module + me
  in_common = 10 * me
  table(me + 1) = 0
  write (name, '(a,i0)') 'units_of_copy_', me
  open (unit=10, file=name, status='replace')
  do i = 1, 4
    call copy_yield()
    if (calls() /= i) failures = failures + 1
    if (in_module /= 3 + me .or. in_common /= 10 * me) failures = failures + 1
    write (10, *) 100 * me + i
  end do
  call copy_yield()
  rewind (10)
  do i = 1, 4
    read (10, *) read_back
    call copy_yield()
    if (read_back /= 100 * me + i) failures = failures + 1
  end do
  close (10, status='delete')
  if (sum(table) /= 1498.5) failures = failures + 1
  call apply(inner)
  print '(a,i0,a,i0)', 'copy ', me, ' failures ', failures
  if (me == 1) stop
contains
  subroutine inner()  ! by a function on the stack, as it knows its host's variables
    call copy_yield()
    if (copy_number() /= me) failures = failures + 1
  end subroutine
end program
