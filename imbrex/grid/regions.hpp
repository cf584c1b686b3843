// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which cells of a block an exchange concerns, and where they lie in a parcel: the cells of all fields one
// after the other, each row by row from where its type may lie.

#include <cstddef>

#include <imbrex/core/name/indices.hpp>
#include <imbrex/grid/box.hpp>

namespace imbrex::grid::detail {

/// The ghosts of a block in a direction.
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
/// And the cells of the block itself, as deep: the ghosts of the neighbour in that direction.
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

/// The end of the cells of a field in a direction, if they follow what ends at `place`.
template <class Field>
std::size_t end_in_parcel(const Field& f, const index<Field::rank()>& offset, std::size_t place) {
  using cell = typename Field::value_type;
  std::size_t n = 1;
  for (int d = 0; d < Field::rank(); ++d)
    n *= static_cast<std::size_t>(offset[d] == 0 ? f.extent(d) : f.width()[d]);
  return n == 0 ? place : aligned<cell>(place) + n * sizeof(cell);
}

/// The cells that the ghosts beyond a face of a block mirror, in its dimension: the one that is mirrored in a
/// layer.
template <class Field>
int mirrored(const Field& f, int face, int layer) {
  return face % 2 == 0 ? -1 - layer : 2 * f.extent(face / 2) - 1 - layer;
}

}  // namespace imbrex::grid::detail
