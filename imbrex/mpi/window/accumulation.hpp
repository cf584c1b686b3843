// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/mpi/datatype/pack.hpp>
#include <imbrex/mpi/operation/operation.hpp>

namespace imbrex::mpi {

/// The predefined datatype that all elements of a type have; null if there are none, or of several types.
/// O(blocks of the type).
const datatype* basic_type_of(const datatype& type);

/// Throws mpi::error (MPI_ERR_OP or MPI_ERR_TYPE) unless the operation is predefined, accepts the elements of
/// the target's type, and the origin's elements have the same type. A type without elements matches any
/// other.
void check_accumulation(const operation& op, const typed_buffer& from, const typed_buffer& to);

/// memory[i] = memory[i] op packed[i], for the elements in the first `bytes` packed bytes. The operation and
/// the type have passed `check_accumulation`.
void accumulate(int operation_handle, const std::byte* packed, std::int64_t bytes, const typed_buffer& to);

}  // namespace imbrex::mpi
