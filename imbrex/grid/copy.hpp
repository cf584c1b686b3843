// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include <imbrex/core/name/index.hpp>

namespace imbrex::grid::detail {

template <int N>
using strides_of = std::array<std::ptrdiff_t, static_cast<std::size_t>(N)>;

/// Copies a box of cells, from the dimension D on; the last stride of both sides is 1. They do not overlap.
template <int D, class T, int N>
void copy_from_dimension(const T* from, const strides_of<N>& from_strides, T* to,
                         const strides_of<N>& to_strides, const index<N>& extents) {
  if constexpr (D == N - 1) {
    std::memcpy(to, from, static_cast<std::size_t>(extents[D]) * sizeof(T));
  } else {
    const std::ptrdiff_t from_stride = from_strides[D], to_stride = to_strides[D];
    const int count = extents[D];
    if constexpr (D == N - 2) {
      if (extents[N - 1] == 1) {  // the faces of the last dimension
        for (int i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
        return;
      }
    }
    for (int i = 0; i < count; ++i)
      copy_from_dimension<D + 1>(from + i * from_stride, from_strides, to + i * to_stride, to_strides,
                                 extents);
  }
}

/// Copies a box of cells.
template <class T, int N>
void copy_cells(const T* from, const strides_of<N>& from_strides, T* to, const strides_of<N>& to_strides,
                const index<N>& extents) {
  for (int d = 0; d < N; ++d)
    if (extents[d] == 0) return;
  copy_from_dimension<0>(from, from_strides, to, to_strides, extents);
}

/// Those of cells without gaps.
template <int N>
strides_of<N> dense_strides(const index<N>& extents) {
  strides_of<N> strides;
  std::ptrdiff_t distance = 1;
  for (int d = N - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = distance;
    distance *= extents[d];
  }
  return strides;
}

}  // namespace imbrex::grid::detail
