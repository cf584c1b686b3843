// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <type_traits>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi::fortran {

/// A variable of Fortran that functions know by its address alone, such as MPI_IN_PLACE. Programs have
/// several: one in a common block of mpif.h and the module mpi, one in the module mpi_f08. Each rank has its
/// own, in its copy of the program; a shared library that ranks have in common has the process' ones.
struct name {
  std::array<const void*, 4> at{};

  bool is(const void* address) const {
    return address == at[0] || address == at[1] || address == at[2] || address == at[3];
  }
};

/// Those of one rank.
struct names final : rank_part {
  names();
  /// Of the rank that runs on this thread.
  static const names& here() {
    rank_data& data = rank_data::here();
    if (!data.fortran) [[unlikely]]
      data.fortran = std::make_unique<names>();
    return static_cast<const names&>(*data.fortran);
  }

  name bottom, in_place, status_ignore, statuses_ignore, unweighted, weights_empty;
};

/// A buffer as C knows it.
inline void* buffer_of(void* address) {
  const names& known = names::here();
  if (known.in_place.is(address)) return MPI_IN_PLACE;
  return known.bottom.is(address) ? MPI_BOTTOM : address;
}

/// A status, or an array of them, as C knows it.
inline MPI_Status* status_of(MPI_Status* address) {
  const names& known = names::here();
  return known.status_ignore.is(address) || known.statuses_ignore.is(address) ? MPI_STATUS_IGNORE : address;
}

/// Weights of a graph as C knows them.
template <typename Integer>
Integer* weights_of(Integer* address) {
  const names& known = names::here();
  if (known.unweighted.is(address)) return MPI_UNWEIGHTED;
  return known.weights_empty.is(address) ? MPI_WEIGHTS_EMPTY : address;
}

}  // namespace imbrex::mpi::fortran
