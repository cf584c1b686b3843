// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/error.hpp>

#include <imbrex/mpi/include/mpi.h>

namespace imbrex::mpi {

const char* text_of_class(int error_class) {
  switch (error_class) {
    case MPI_SUCCESS: return "no error";
    case MPI_ERR_BUFFER: return "invalid buffer";
    case MPI_ERR_COUNT: return "invalid count";
    case MPI_ERR_TYPE: return "invalid datatype";
    case MPI_ERR_TAG: return "invalid tag";
    case MPI_ERR_COMM: return "invalid communicator";
    case MPI_ERR_RANK: return "invalid rank";
    case MPI_ERR_ROOT: return "invalid root";
    case MPI_ERR_GROUP: return "invalid group";
    case MPI_ERR_OP: return "invalid operation";
    case MPI_ERR_TOPOLOGY: return "invalid topology";
    case MPI_ERR_DIMS: return "invalid number or length of dimensions";
    case MPI_ERR_ARG: return "invalid argument";
    case MPI_ERR_UNKNOWN: return "unknown error";
    case MPI_ERR_TRUNCATE: return "the message is longer than the buffer of the receive";
    case MPI_ERR_OTHER: return "another error";
    case MPI_ERR_INTERN: return "internal error";
    case MPI_ERR_IN_STATUS: return "the error is in the status";
    case MPI_ERR_PENDING: return "the request is not complete";
    case MPI_ERR_REQUEST: return "invalid request";
    case MPI_ERR_ACCESS: return "no permission";
    case MPI_ERR_AMODE: return "invalid access mode of a file";
    case MPI_ERR_BAD_FILE: return "invalid name of a file";
    case MPI_ERR_CONVERSION: return "a conversion of data has failed";
    case MPI_ERR_DUP_DATAREP: return "the data representation exists";
    case MPI_ERR_FILE_EXISTS: return "the file exists";
    case MPI_ERR_FILE_IN_USE: return "the file is in use";
    case MPI_ERR_FILE: return "invalid file";
    case MPI_ERR_INFO: return "invalid info";
    case MPI_ERR_INFO_KEY: return "invalid key of an info";
    case MPI_ERR_INFO_VALUE: return "invalid value of an info";
    case MPI_ERR_INFO_NOKEY: return "the info has no such key";
    case MPI_ERR_IO: return "an input or output has failed";
    case MPI_ERR_NAME: return "the service is not published";
    case MPI_ERR_NO_MEM: return "out of memory";
    case MPI_ERR_NOT_SAME: return "an argument differs between the ranks of a collective call";
    case MPI_ERR_NO_SPACE: return "no space on the device";
    case MPI_ERR_NO_SUCH_FILE: return "no such file";
    case MPI_ERR_PORT: return "invalid port";
    case MPI_ERR_QUOTA: return "quota exceeded";
    case MPI_ERR_READ_ONLY: return "the file or file system is read-only";
    case MPI_ERR_SERVICE: return "invalid name of a service";
    case MPI_ERR_SPAWN: return "processes could not be started";
    case MPI_ERR_UNSUPPORTED_DATAREP: return "unknown data representation";
    case MPI_ERR_UNSUPPORTED_OPERATION: return "unsupported operation";
    case MPI_ERR_WIN: return "invalid window";
    case MPI_ERR_BASE: return "invalid base of a window";
    case MPI_ERR_LOCKTYPE: return "invalid type of a lock";
    case MPI_ERR_KEYVAL: return "invalid keyval";
    case MPI_ERR_RMA_CONFLICT: return "conflicting accesses to a window";
    case MPI_ERR_RMA_SYNC: return "wrong synchronisation of one-sided calls";
    case MPI_ERR_SIZE: return "invalid size";
    case MPI_ERR_DISP: return "invalid displacement";
    case MPI_ERR_ASSERT: return "invalid assertion";
    case MPI_ERR_RMA_RANGE: return "the target's memory is not in the window";
    case MPI_ERR_RMA_ATTACH: return "memory cannot be attached";
    case MPI_ERR_RMA_SHARED: return "memory cannot be shared";
    case MPI_ERR_RMA_FLAVOR: return "wrong flavour of window";
    case MPI_T_ERR_MEMORY: return "out of memory";
    case MPI_T_ERR_NOT_INITIALIZED: return "the tools' interface is not initialised";
    case MPI_T_ERR_CANNOT_INIT: return "the tools' interface cannot be initialised now";
    case MPI_T_ERR_INVALID_INDEX: return "invalid index";
    case MPI_T_ERR_INVALID_ITEM: return "invalid index of an item";
    case MPI_T_ERR_INVALID_HANDLE: return "invalid handle of a variable";
    case MPI_T_ERR_OUT_OF_HANDLES: return "no more handles";
    case MPI_T_ERR_OUT_OF_SESSIONS: return "no more sessions";
    case MPI_T_ERR_INVALID_SESSION: return "invalid session of performance variables";
    case MPI_T_ERR_CVAR_SET_NOT_NOW: return "the control variable cannot be set now";
    case MPI_T_ERR_CVAR_SET_NEVER: return "the control variable cannot be set any more";
    case MPI_T_ERR_PVAR_NO_STARTSTOP: return "the performance variable cannot be started or stopped";
    case MPI_T_ERR_PVAR_NO_WRITE: return "the performance variable cannot be written or reset";
    case MPI_T_ERR_PVAR_NO_ATOMIC: return "the performance variable cannot be read and reset at once";
    case MPI_T_ERR_INVALID_NAME: return "invalid name of a variable or category";
    case MPI_T_ERR_INVALID: return "invalid use of the tools' interface";
    case MPI_ERR_SESSION: return "invalid session";
    case MPI_ERR_PROC_ABORTED: return "a peer has aborted";
    case MPI_ERR_VALUE_TOO_LARGE: return "the value does not fit into the argument's type";
    case MPI_T_ERR_NOT_SUPPORTED: return "the tools' interface does not support that";
    case MPI_ERR_ERRHANDLER: return "invalid error handler";
    default: return nullptr;
  }
}

}  // namespace imbrex::mpi
