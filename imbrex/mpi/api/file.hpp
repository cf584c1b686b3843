// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/file/file.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

/// Handles of files are pointers in C, and numbers like those of other objects in Fortran.
inline int number_of(MPI_File handle) {
  return static_cast<int>(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle)));
}
inline MPI_File file_of(int number) {
  return reinterpret_cast<MPI_File>(static_cast<std::uintptr_t>(static_cast<std::uint32_t>(number)));
}

/// Names a file in reports of waiting ranks.
std::string describe_file(const void* which);

/// Like `call`, with a file whose error handler gets the errors: body(data, file). Errors of a wrong handle
/// go to the handler of MPI_FILE_NULL.
template <typename Body>
int call_on_file(const char* function, MPI_File handle, Body&& body) {
  rank_data& data = rank_data::here();
  error_target* owner = &data.files.defaults;
  ref<file_object> object;  // keeps the file alive until errors are handled
  return run_call(data.objects(), function, owner, [&] {
    data.require_running(function);
    object = data.files.open.share(number_of(handle));
    file& of = static_cast<file&>(*object);
    owner = &of;
    const call_frame frame(data.self(), {function, &describe_file, &of});
    body(data, of);
  });
}

}  // namespace imbrex::mpi
