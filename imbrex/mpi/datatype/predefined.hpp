// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/datatype/datatype.hpp>

namespace imbrex::mpi {

/// The datatype of MPI itself with that handle, which all ranks of the process share; null if there is none.
/// O(1).
datatype* predefined_type(int handle);

/// Handles of structures that MPI itself defines, such as MPI_DOUBLE_INT, are the first of the datatypes'
/// handles.
inline constexpr std::uint32_t predefined_structures = 5;

/// The type of a class (MPI_TYPECLASS_...) with that many bytes; throws mpi::error (MPI_ERR_ARG) if there is
/// none.
int match_size(int type_class, int bytes);

}  // namespace imbrex::mpi
