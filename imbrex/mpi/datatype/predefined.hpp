// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <imbrex/mpi/datatype/datatype.hpp>

namespace imbrex::mpi {

/// The datatype of MPI itself with that handle, which all ranks of the process share; null if there is none.
/// O(1).
datatype* predefined_type(int handle);

/// The handles of basic types of MPI itself that have a size, each at the place that its last 7 bits say.
extern const std::array<int, 128> basic_types;
/// The bytes of a basic type of MPI itself, which is contiguous and committed; 0 of all other handles. O(1).
inline int basic_size(int handle) {
  return basic_types[static_cast<std::uint32_t>(handle) & 0x7fU] == handle ? handle >> 8 & 0xff : 0;
}

/// Handles of structures that MPI itself defines, such as MPI_DOUBLE_INT, are the first of the datatypes'
/// handles.
inline constexpr std::uint32_t predefined_structures = 5;

/// The type of a class (MPI_TYPECLASS_...) with that many bytes; throws mpi::error (MPI_ERR_ARG) if there is
/// none.
int match_size(int type_class, int bytes);

}  // namespace imbrex::mpi
