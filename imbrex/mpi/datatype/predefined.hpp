// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <imbrex/mpi/datatype/datatype.hpp>

namespace imbrex::mpi {

/// The predefined datatype with this handle, shared by all ranks of the process; null if there is none. O(1).
datatype* predefined_type(int handle);

/// Handles of the predefined basic types that have a size, indexed by the handle's lowest 7 bits.
extern const std::array<int, 128> basic_types;
/// Size of a predefined basic type, which is contiguous and committed; 0 for all other handles. O(1).
inline int basic_size(int handle) {
  return basic_types[static_cast<std::uint32_t>(handle) & 0x7fU] == handle ? handle >> 8 & 0xff : 0;
}

/// Number of predefined structures, such as MPI_DOUBLE_INT; their handles come first among the datatypes'
/// handles.
inline constexpr std::uint32_t predefined_structures = 5;

/// Handle of the type of a class (MPI_TYPECLASS_...) with this size; throws mpi::error (MPI_ERR_ARG) if there
/// is none.
int match_size(int type_class, int bytes);

}  // namespace imbrex::mpi
