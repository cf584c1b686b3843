// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/handle.hpp>
#include <imbrex/mpi/object/keyval.hpp>

/// Functions of MPI that are more in Fortran than the call of C's: each returns an error code.
namespace imbrex::mpi::fortran {

/// A procedure of the program, which takes all its arguments by address.
using procedure = void (*)();

/// Says of a function that is not there that it is not. Its arguments are not looked at.
template <typename Function>
int call_absent(Function* function) {
  return reinterpret_cast<int (*)()>(reinterpret_cast<procedure>(function))();
}

int create_keyval(const char* function, handle_kind object, keyval::language of, procedure copy,
                  procedure remove, int* key, MPI_Aint extra);
int set_attribute(const char* function, handle_kind object, int handle, int key, MPI_Aint value);
/// Of attributes that MPI itself sets the value, where C has a pointer to it.
int get_attribute(const char* function, handle_kind object, int handle, int key, MPI_Aint* value, int* flag);
/// MPI-1's, in a default integer.
int get_old_attribute(MPI_Comm comm, int key, int* value, int* flag);

int start_request(procedure query, procedure release, procedure cancel, MPI_Aint extra, MPI_Request* request);

/// Change nothing if there is no such key.
int get_info(MPI_Info info, const char* key, int most, char* value, std::size_t length, int* flag);
int get_info_string(MPI_Info info, const char* key, int* room, char* value, std::size_t length, int* flag);

/// The address in a default integer: an error if it does not fit, and its lowest bits.
int get_old_address(void* location, int* address);
/// The address, which a variable of any type cannot take, is not told.
int detach_buffer(int* size);

}  // namespace imbrex::mpi::fortran
