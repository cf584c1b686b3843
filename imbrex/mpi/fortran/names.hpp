// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <type_traits>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi::fortran {

/// A Fortran variable that functions recognise by its address, such as MPI_IN_PLACE. A program has several
/// copies: one in a common block of mpif.h and the module mpi, one in the module mpi_f08. Each rank has its
/// own copies, in its copy of the program; ranks that share a library use the process's.
struct name {
  std::array<const void*, 4> at{};

  bool is(const void* address) const {
    return address == at[0] || address == at[1] || address == at[2] || address == at[3];
  }
};

/// The recognised variables of one rank.
struct names final : rank_part {
  names();
  /// The names of the rank that runs on this thread.
  static const names& here() {
    rank_data& data = rank_data::here();
    if (!data.fortran) [[unlikely]]
      data.fortran = std::make_unique<names>();
    return static_cast<const names&>(*data.fortran);
  }

  name bottom, in_place, status_ignore, statuses_ignore, unweighted, weights_empty;
};

/// Converts a buffer's address to C's: MPI_IN_PLACE and MPI_BOTTOM.
inline void* buffer_of(void* address) {
  const names& known = names::here();
  if (known.in_place.is(address)) return MPI_IN_PLACE;
  return known.bottom.is(address) ? MPI_BOTTOM : address;
}

/// Converts the address of a status or an array of statuses to C's: MPI_STATUS_IGNORE.
inline MPI_Status* status_of(MPI_Status* address) {
  const names& known = names::here();
  return known.status_ignore.is(address) || known.statuses_ignore.is(address) ? MPI_STATUS_IGNORE : address;
}

/// Converts the address of a graph's weights to C's: MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY.
template <typename Integer>
Integer* weights_of(Integer* address) {
  const names& known = names::here();
  if (known.unweighted.is(address)) return MPI_UNWEIGHTED;
  return known.weights_empty.is(address) ? MPI_WEIGHTS_EMPTY : address;
}

}  // namespace imbrex::mpi::fortran
