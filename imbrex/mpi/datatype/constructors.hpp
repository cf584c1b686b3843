// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <imbrex/mpi/datatype/datatype.hpp>

namespace imbrex::mpi {

using count_span = std::span<const std::int64_t>;

/// MPI's type constructors, with counts of any length and displacements in bytes. The caller adds the
/// contents for MPI_Type_get_contents. Throw mpi::error for a negative count or length, and if sizes exceed
/// 63 bits.
datatype_ref contiguous_type(std::int64_t count, const datatype_ref& type);
datatype_ref vector_type(std::int64_t count, std::int64_t length, std::int64_t stride,
                         const datatype_ref& type);
datatype_ref indexed_type(count_span lengths, count_span displacements, const datatype_ref& type);
datatype_ref indexed_block_type(std::int64_t length, count_span displacements, const datatype_ref& type);
datatype_ref struct_type(count_span lengths, count_span displacements, std::span<const datatype_ref> types);
datatype_ref resized_type(std::int64_t lower_bound, std::int64_t extent, const datatype_ref& type);
/// Committed if `type` is.
datatype_ref copied_type(const datatype_ref& type);

/// `order` is MPI_ORDER_C or MPI_ORDER_FORTRAN.
datatype_ref subarray_type(count_span sizes, count_span subsizes, count_span starts, int order,
                           const datatype_ref& type);

/// The distribution of an array's dimensions over a grid of ranks.
struct distribution {
  std::span<const int> kinds;      ///< MPI_DISTRIBUTE_...
  std::span<const int> arguments;  ///< lengths of blocks, or MPI_DISTRIBUTE_DFLT_DARG
  std::span<const int> ranks;      ///< length of the grid in each dimension
};
datatype_ref darray_type(int ranks, int rank, count_span sizes, const distribution& how, int order,
                         const datatype_ref& type);

}  // namespace imbrex::mpi
