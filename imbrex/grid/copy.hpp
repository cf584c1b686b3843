// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include <imbrex/core/name/index.hpp>

namespace imbrex::grid::detail {

template <int N>
using strides_of = std::array<std::ptrdiff_t, static_cast<std::size_t>(N)>;

/// Two nested loops over runs of cells, and the distances between the runs.
struct run_loops {
  int outer = 1, inner = 1;
  std::ptrdiff_t from_outer = 0, from_inner = 0, to_outer = 0, to_inner = 0;
};

/// Copies runs of single cells, which the faces of the last dimension consist of. In messages these lie side
/// by side.
template <class T>
void copy_columns(const T* from, T* to, const run_loops& loops) {
  for (int o = 0; o < loops.outer; ++o, from += loops.from_outer, to += loops.to_outer) {
    if (loops.to_inner == 1) {
      for (int i = 0; i < loops.inner; ++i) to[i] = from[i * loops.from_inner];
    } else if (loops.from_inner == 1) {
      for (int i = 0; i < loops.inner; ++i) to[i * loops.to_inner] = from[i];
    } else {
      for (int i = 0; i < loops.inner; ++i) to[i * loops.to_inner] = from[i * loops.from_inner];
    }
  }
}

/// Not inlined: the loops need all registers.
template <class T>
[[gnu::noinline]] void copy_runs(const T* from, T* to, const run_loops& input, int cells) {
  const run_loops loops = input;  // a local copy, which no written cell can alias
  if (cells == 1) return copy_columns(from, to, loops);
  const std::size_t bytes = static_cast<std::size_t>(cells) * sizeof(T);
  for (int o = 0; o < loops.outer; ++o, from += loops.from_outer, to += loops.to_outer) {
    const T* from_run = from;
    T* to_run = to;
    for (int i = 0; i < loops.inner; ++i, from_run += loops.from_inner, to_run += loops.to_inner)
      std::memcpy(to_run, from_run, bytes);
  }
}

/// Loops over the dimensions from D on, down to the last two.
template <int D, class T, int N>
void copy_from_dimension(const T* from, const strides_of<N>& from_strides, T* to,
                         const strides_of<N>& to_strides, const index<N>& extents) {
  if constexpr (N == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(extents[0]) * sizeof(T));
  } else if constexpr (D + 3 < N) {
    for (int i = 0; i < extents[D]; ++i)
      copy_from_dimension<D + 1>(from + i * from_strides[D], from_strides, to + i * to_strides[D], to_strides,
                                 extents);
  } else {
    run_loops loops{
        .inner = extents[N - 2], .from_inner = from_strides[N - 2], .to_inner = to_strides[N - 2]};
    if constexpr (N > 2) {
      const run_loops around{.inner = extents[D], .from_inner = from_strides[D], .to_inner = to_strides[D]};
      if (loops.inner == 1) {  // puts as many runs as possible into one loop
        loops = around;
      } else {
        loops.outer = around.inner;
        loops.from_outer = around.from_inner;
        loops.to_outer = around.to_inner;
      }
    }
    copy_runs(from, to, loops, extents[N - 1]);
  }
}

/// Copies a box of cells; the last stride of both sides is 1. The sides do not overlap.
template <class T, int N>
void copy_cells(const T* from, const strides_of<N>& from_strides, T* to, const strides_of<N>& to_strides,
                const index<N>& extents) {
  for (int d = 0; d < N; ++d)
    if (extents[d] == 0) return;
  copy_from_dimension<0>(from, from_strides, to, to_strides, extents);
}

/// Strides of cells without gaps.
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
