! SPDX-License-Identifier: Apache-2.0
! Procedures of programs that functions of mpi_f08 take, and those that MPI itself has for them.
module mpi_f08_callbacks
use, intrinsic :: iso_c_binding, only: c_ptr
use mpi_f08_types
use mpi_f08_compile_constants, only: MPI_ADDRESS_KIND, MPI_COUNT_KIND, MPI_OFFSET_KIND
implicit none
private :: c_ptr
abstract interface

subroutine MPI_User_function(invec, inoutvec, len, datatype)
  import :: c_ptr, MPI_Datatype
  type(c_ptr), value :: invec, inoutvec
  integer :: len
  type(MPI_Datatype) :: datatype
end subroutine

subroutine MPI_Grequest_query_function(extra_state, status, ierror)
  import :: MPI_Status, MPI_ADDRESS_KIND
  integer(MPI_ADDRESS_KIND) :: extra_state
  type(MPI_Status) :: status
  integer :: ierror
end subroutine

subroutine MPI_Grequest_free_function(extra_state, ierror)
  import :: MPI_ADDRESS_KIND
  integer(MPI_ADDRESS_KIND) :: extra_state
  integer :: ierror
end subroutine

subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
  import :: MPI_ADDRESS_KIND
  integer(MPI_ADDRESS_KIND) :: extra_state
  logical :: complete
  integer :: ierror
end subroutine

subroutine MPI_Datarep_extent_function(datatype, extent, extra_state, ierror)
  import :: MPI_Datatype, MPI_ADDRESS_KIND
  type(MPI_Datatype) :: datatype
  integer(MPI_ADDRESS_KIND) :: extent, extra_state
  integer :: ierror
end subroutine

subroutine MPI_Datarep_conversion_function(userbuf, datatype, count, filebuf, position, extra_state, ierror)
  import :: c_ptr, MPI_Datatype, MPI_ADDRESS_KIND, MPI_OFFSET_KIND
  type(c_ptr), value :: userbuf, filebuf
  type(MPI_Datatype) :: datatype
  integer :: count, ierror
  integer(MPI_OFFSET_KIND) :: position
  integer(MPI_ADDRESS_KIND) :: extra_state
end subroutine

subroutine MPI_Comm_errhandler_function(object, error_code)
  import :: MPI_Comm
  type(MPI_Comm) :: object
  integer :: error_code
end subroutine

subroutine MPI_File_errhandler_function(object, error_code)
  import :: MPI_File
  type(MPI_File) :: object
  integer :: error_code
end subroutine

subroutine MPI_Win_errhandler_function(object, error_code)
  import :: MPI_Win
  type(MPI_Win) :: object
  integer :: error_code
end subroutine

subroutine MPI_Session_errhandler_function(object, error_code)
  import :: MPI_Session
  type(MPI_Session) :: object
  integer :: error_code
end subroutine

subroutine MPI_Comm_copy_attr_function(object, keyval, extra_state, value_in, value_out, flag, ierror)
  import :: MPI_Comm, MPI_ADDRESS_KIND
  type(MPI_Comm) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine

subroutine MPI_Comm_delete_attr_function(object, keyval, value, extra_state, ierror)
  import :: MPI_Comm, MPI_ADDRESS_KIND
  type(MPI_Comm) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: value, extra_state
end subroutine

subroutine MPI_Type_copy_attr_function(object, keyval, extra_state, value_in, value_out, flag, ierror)
  import :: MPI_Datatype, MPI_ADDRESS_KIND
  type(MPI_Datatype) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine

subroutine MPI_Type_delete_attr_function(object, keyval, value, extra_state, ierror)
  import :: MPI_Datatype, MPI_ADDRESS_KIND
  type(MPI_Datatype) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: value, extra_state
end subroutine

subroutine MPI_Win_copy_attr_function(object, keyval, extra_state, value_in, value_out, flag, ierror)
  import :: MPI_Win, MPI_ADDRESS_KIND
  type(MPI_Win) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine

subroutine MPI_Win_delete_attr_function(object, keyval, value, extra_state, ierror)
  import :: MPI_Win, MPI_ADDRESS_KIND
  type(MPI_Win) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: value, extra_state
end subroutine

end interface

contains

subroutine MPI_COMM_DUP_FN(object, keyval, extra_state, value_in, value_out, flag, ierror)
  type(MPI_Comm) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
  value_out = value_in
  flag = .true.
  ierror = 0
end subroutine

subroutine MPI_COMM_NULL_COPY_FN(object, keyval, extra_state, value_in, value_out, flag, ierror)
  type(MPI_Comm) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
  flag = .false.
  ierror = 0
end subroutine

subroutine MPI_COMM_NULL_DELETE_FN(object, keyval, value, extra_state, ierror)
  type(MPI_Comm) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: value, extra_state
  ierror = 0
end subroutine

subroutine MPI_TYPE_DUP_FN(object, keyval, extra_state, value_in, value_out, flag, ierror)
  type(MPI_Datatype) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
  value_out = value_in
  flag = .true.
  ierror = 0
end subroutine

subroutine MPI_TYPE_NULL_COPY_FN(object, keyval, extra_state, value_in, value_out, flag, ierror)
  type(MPI_Datatype) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
  flag = .false.
  ierror = 0
end subroutine

subroutine MPI_TYPE_NULL_DELETE_FN(object, keyval, value, extra_state, ierror)
  type(MPI_Datatype) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: value, extra_state
  ierror = 0
end subroutine

subroutine MPI_WIN_DUP_FN(object, keyval, extra_state, value_in, value_out, flag, ierror)
  type(MPI_Win) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
  value_out = value_in
  flag = .true.
  ierror = 0
end subroutine

subroutine MPI_WIN_NULL_COPY_FN(object, keyval, extra_state, value_in, value_out, flag, ierror)
  type(MPI_Win) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
  flag = .false.
  ierror = 0
end subroutine

subroutine MPI_WIN_NULL_DELETE_FN(object, keyval, value, extra_state, ierror)
  type(MPI_Win) :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: value, extra_state
  ierror = 0
end subroutine

subroutine MPI_CONVERSION_FN_NULL(userbuf, datatype, count, filebuf, position, extra_state, ierror)
  type(c_ptr), value :: userbuf, filebuf
  type(MPI_Datatype) :: datatype
  integer :: count, ierror
  integer(MPI_OFFSET_KIND) :: position
  integer(MPI_ADDRESS_KIND) :: extra_state
end subroutine

end module
