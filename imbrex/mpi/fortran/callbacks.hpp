// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/handle.hpp>
#include <imbrex/mpi/object/keyval.hpp>

/// MPI functions that need more in Fortran than a call of C's function. Each returns an error code.
namespace imbrex::mpi::fortran {

/// A Fortran procedure of the program; it takes all arguments by address.
using procedure = void (*)();

/// Calls a function that is not supported, which reports so and ignores its arguments.
template <typename Function>
int call_absent(Function* function) {
  return reinterpret_cast<int (*)()>(reinterpret_cast<procedure>(function))();
}

int create_keyval(const char* function, handle_kind object, keyval::language of, procedure copy,
                  procedure remove, int* key, MPI_Aint extra);
int set_attribute(const char* function, handle_kind object, int handle, int key, MPI_Aint value);
/// For a predefined attribute returns the value itself; C returns a pointer to it.
int get_attribute(const char* function, handle_kind object, int handle, int key, MPI_Aint* value, int* flag);
/// The MPI-1 function: the value is a default integer.
int get_old_attribute(MPI_Comm comm, int key, int* value, int* flag);

int start_request(procedure query, procedure release, procedure cancel, MPI_Aint extra, MPI_Request* request);

/// Leave the result unchanged if the key is missing.
int get_info(MPI_Info info, const char* key, int most, char* value, std::size_t length, int* flag);
int get_info_string(MPI_Info info, const char* key, int* room, char* value, std::size_t length, int* flag);

/// The address in a default integer. If it does not fit: an error, and the lowest bits.
int get_old_address(void* location, int* address);
/// Detaches the buffer; its address is not returned, since a variable of any type cannot hold it.
int detach_buffer(int* size);

}  // namespace imbrex::mpi::fortran
