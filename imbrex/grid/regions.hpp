// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cells of a block that an exchange concerns, and their offsets in a parcel. A parcel has the cells of all
// fields, one field after the other, each row by row. Each field begins where its type is aligned.

#include <cstddef>

#include <imbrex/core/name/indices.hpp>
#include <imbrex/grid/box.hpp>

namespace imbrex::grid::detail {

/// Ghosts of a block in a direction.
template <int N>
constexpr box<N> ghost_box(const index<N>& extents, const index<N>& width, const index<N>& offset) {
  box<N> b{{}, extents};
  for (int d = 0; d < N; ++d) {
    if (offset[d] == 0) continue;
    b.origin[d] = offset[d] < 0 ? -width[d] : extents[d];
    b.extents[d] = width[d];
  }
  return b;
}
/// Cells of the block itself that are the ghosts of its neighbour in a direction.
template <int N>
constexpr box<N> border_box(const index<N>& extents, const index<N>& width, const index<N>& offset) {
  box<N> b{{}, extents};
  for (int d = 0; d < N; ++d) {
    if (offset[d] == 0) continue;
    b.origin[d] = offset[d] < 0 ? 0 : extents[d] - width[d];
    b.extents[d] = width[d];
  }
  return b;
}

template <class T>
constexpr std::size_t aligned(std::size_t place) {
  return (place + alignof(T) - 1) / alignof(T) * alignof(T);
}

/// End of a field's cells in a direction, in a parcel whose earlier cells end at `place`.
template <class Field>
std::size_t end_in_parcel(const Field& f, const index<Field::rank()>& offset, std::size_t place) {
  using cell = typename Field::value_type;
  std::size_t n = 1;
  for (int d = 0; d < Field::rank(); ++d)
    n *= static_cast<std::size_t>(offset[d] == 0 ? f.extent(d) : f.width()[d]);
  return n == 0 ? place : aligned<cell>(place) + n * sizeof(cell);
}

/// Index of the cell that a ghost beyond a face mirrors, in the face's dimension. `layer` is the ghost's
/// index there.
template <class Field>
int mirrored(const Field& f, int face, int layer) {
  return face % 2 == 0 ? -1 - layer : 2 * f.extent(face / 2) - 1 - layer;
}

}  // namespace imbrex::grid::detail
