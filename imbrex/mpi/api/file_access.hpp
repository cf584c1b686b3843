// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/api/file.hpp>
#include <imbrex/mpi/file/access.hpp>

namespace imbrex::mpi {

/// An offset in etypes that a program has given, or the rank's own pointer.
struct access_place {
  bool is_explicit;
  MPI_Offset offset = 0;

  /// In bytes of the file's view. Throws mpi::error (MPI_ERR_ARG) for a negative offset.
  std::int64_t position_in(const file& of) const;
  /// Moves the rank's own pointer behind a position, unless the place is explicit.
  void advance(file& of, std::int64_t position) const;
};
inline constexpr access_place at_pointer{false};

/// Throws mpi::error unless the file's mode allows the access; `is_random`: elsewhere than at the shared
/// pointer.
void check_access(const file& of, access_direction direction, bool is_random);
/// Begins a request and gives its handle.
void begin_request(rank_data& data, const ref<user_request>& begun, MPI_Request* handle);

}  // namespace imbrex::mpi
