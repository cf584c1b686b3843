// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/datatype/constructors.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

/// The indices of an array's dimensions, fastest-varying first.
std::vector<std::size_t> fastest_first(std::size_t dimensions, int order) {
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
    throw error(MPI_ERR_ARG,
                "the order is " + std::to_string(order) + "; give MPI_ORDER_C or MPI_ORDER_FORTRAN");
  if (dimensions == 0) throw error(MPI_ERR_ARG, "the array has no dimensions; it must have one");
  std::vector<std::size_t> dimension(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) dimension[i] = order == MPI_ORDER_C ? dimensions - 1 - i : i;
  return dimension;
}

std::string of_dimension(std::size_t i) { return " of dimension " + std::to_string(i) + " "; }

/// `type` at an offset, within bounds from 0 to `extent`.
datatype_ref placed(std::int64_t offset, std::int64_t extent, const datatype_ref& type) {
  return resized_type(0, extent, indexed_block_type(1, std::vector{offset}, type));
}

}  // namespace

datatype_ref subarray_type(count_span sizes, count_span subsizes, count_span starts, int order,
                           const datatype_ref& type) {
  datatype_ref part = type;
  std::int64_t stride = type->extent();
  std::int64_t offset = 0;
  for (const std::size_t i : fastest_first(sizes.size(), order)) {
    if (sizes[i] < 1) throw error(MPI_ERR_ARG, "the size" + of_dimension(i) + "must be positive");
    if (subsizes[i] < 1 || subsizes[i] > sizes[i])
      throw error(MPI_ERR_ARG, "the subsize" + of_dimension(i) + "is " + std::to_string(subsizes[i]) +
                                   "; it must be 1 to " + std::to_string(sizes[i]));
    if (starts[i] < 0 || starts[i] > sizes[i] - subsizes[i])
      throw error(MPI_ERR_ARG, "the start" + of_dimension(i) + "is " + std::to_string(starts[i]) +
                                   "; it must be 0 to " + std::to_string(sizes[i] - subsizes[i]));
    part = vector_type(subsizes[i], 1, stride, part);
    offset = sum(offset, product(starts[i], stride, "an offset"), "an offset");
    stride = product(stride, sizes[i], "the extent");
  }
  return placed(offset, stride, part);
}

namespace {

/// One rank's part of a dimension: pieces of up to `length` elements, one every `step` elements, starting at
/// `first`.
struct share {
  std::int64_t first;
  std::int64_t length;
  std::int64_t step;
};

share share_of(int kind, int argument, int ranks, int rank, std::int64_t size, std::size_t dimension) {
  const auto refuse = [&](const std::string& what) {
    throw error(MPI_ERR_ARG, "the distribution" + of_dimension(dimension) + what);
  };
  if (argument != MPI_DISTRIBUTE_DFLT_DARG && argument < 1)
    refuse("has the argument " + std::to_string(argument) +
           "; it must be positive, or MPI_DISTRIBUTE_DFLT_DARG");
  switch (kind) {
    case MPI_DISTRIBUTE_NONE:
      if (ranks != 1)
        refuse("is MPI_DISTRIBUTE_NONE, but the grid has " + std::to_string(ranks) + " ranks there");
      return {0, size, size};
    case MPI_DISTRIBUTE_BLOCK: {
      const std::int64_t length =
          argument == MPI_DISTRIBUTE_DFLT_DARG ? (size + ranks - 1) / ranks : std::int64_t(argument);
      if (length * ranks < size)
        refuse("has blocks of " + std::to_string(length) + " elements, of which " + std::to_string(ranks) +
               " ranks do not hold " + std::to_string(size));
      return {rank * length, length, length * ranks};
    }
    case MPI_DISTRIBUTE_CYCLIC: {
      const std::int64_t length = argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
      return {rank * length, length, length * ranks};
    }
    default: refuse("is " + std::to_string(kind) + ", which is none of MPI_DISTRIBUTE_..."); return {};
  }
}

/// A type of the elements of one dimension, `stride` bytes apart, without the first one's offset.
datatype_ref dimension_type(const share& s, std::int64_t size, std::int64_t stride,
                            const datatype_ref& type) {
  const std::int64_t reach = std::max<std::int64_t>(size - s.first, 0);  // elements from the first one on
  const std::int64_t whole = reach < s.length ? 0 : (reach - s.length) / s.step + 1;
  const std::int64_t rest = std::clamp<std::int64_t>(reach - whole * s.step, 0, s.length);
  const std::int64_t step = product(s.step, stride, "an offset");
  const datatype_ref pieces = vector_type(whole, 1, step, vector_type(s.length, 1, stride, type));
  if (rest == 0) return pieces;
  const datatype_ref last = vector_type(rest, 1, stride, type);
  return datatype_ref(new datatype(
      std::vector<type_block>{{0, 1, pieces.get()}, {product(whole, step, "an offset"), 1, last.get()}}));
}

}  // namespace

datatype_ref darray_type(int ranks, int rank, count_span sizes, const distribution& how, int order,
                         const datatype_ref& type) {
  std::int64_t places = 1;
  for (const int n : how.ranks) {
    if (n < 1)
      throw error(MPI_ERR_ARG,
                  "a dimension of the grid has " + std::to_string(n) + " ranks; give at least 1");
    places = product(places, n, "the grid");
  }
  if (places != ranks)
    throw error(MPI_ERR_ARG, "the grid has " + std::to_string(places) + " places for " +
                                 std::to_string(ranks) + " ranks; give as many places as ranks");
  if (rank < 0 || rank >= ranks)
    throw error(MPI_ERR_ARG,
                "the rank is " + std::to_string(rank) + "; it must be 0 to " + std::to_string(ranks - 1));
  // Ranks are in C's order of the grid, even if the array is in Fortran's.
  std::vector<int> place(sizes.size());
  for (std::size_t i = sizes.size(), left = std::size_t(rank); i-- > 0; left /= std::size_t(how.ranks[i]))
    place[i] = int(left % std::size_t(how.ranks[i]));

  datatype_ref part = type;
  std::int64_t stride = type->extent();
  std::int64_t offset = 0;
  for (const std::size_t i : fastest_first(sizes.size(), order)) {
    if (sizes[i] < 1) throw error(MPI_ERR_ARG, "the size" + of_dimension(i) + "must be positive");
    const share s = share_of(how.kinds[i], how.arguments[i], how.ranks[i], place[i], sizes[i], i);
    part = dimension_type(s, sizes[i], stride, part);
    offset = sum(offset, product(s.first, stride, "an offset"), "an offset");
    stride = product(stride, sizes[i], "the extent");
  }
  return placed(offset, stride, part);
}

}  // namespace imbrex::mpi
