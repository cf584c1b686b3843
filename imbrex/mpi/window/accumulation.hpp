// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/mpi/datatype/pack.hpp>
#include <imbrex/mpi/operation/operation.hpp>

namespace imbrex::mpi {

/// The datatype of MPI itself that all elements of a type have; null if they have several, or if there are
/// none. O(blocks of the type).
const datatype* basic_type_of(const datatype& type);

/// Throws mpi::error (MPI_ERR_OP or MPI_ERR_TYPE) unless an operation of MPI itself takes the elements of a
/// target's type, and those of the origin are the same; where there are none, any will do.
void check_accumulation(const operation& op, const typed_buffer& from, const typed_buffer& to);

/// memory[i] = memory[i] op packed[i], for the elements that the first `bytes` packed bytes are; the
/// operation and the type pass `check_accumulation`.
void accumulate(int operation_handle, const std::byte* packed, std::int64_t bytes, const typed_buffer& to);

}  // namespace imbrex::mpi
