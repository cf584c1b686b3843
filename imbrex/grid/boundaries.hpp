// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <imbrex/core/name/indices.hpp>

namespace imbrex::grid {

/// Rule for the ghost cells beyond an end of the whole grid.
enum class boundary : std::uint8_t {
  open,        ///< unchanged: the program sets them
  periodic,    ///< copies of the cells at the other end
  reflecting,  ///< mirror images of the block's cells: the first ghost is a copy of the last cell, and so on
  function     ///< results of a function, an argument of the exchange
};

namespace detail {
[[noreturn]] void throw_not_a_face(int side, int faces);
[[noreturn]] void throw_no_dimension(int dimension, int dimensions);
}  // namespace detail

/// Boundaries of a grid, one for each face.
template <int N>
class boundaries {
 public:
  /// The given boundary on all faces.
  constexpr boundaries(boundary everywhere = boundary::open) { kinds_.fill(everywhere); }
  /// Periodic boundaries in some dimensions, open ones in the others.
  constexpr boundaries(const periodic<N>& around) {
    for (int d = 0; d < N; ++d)
      set(d, around[static_cast<std::size_t>(d)] ? boundary::periodic : boundary::open);
  }

  /// Sets both ends of a dimension. Throws imbrex::error if there is no such dimension.
  constexpr boundaries& set(int dimension, boundary kind) {
    if (dimension < 0 || dimension >= N) [[unlikely]]
      detail::throw_no_dimension(dimension, N);
    return set(side<N>(2 * dimension), kind).set(side<N>(2 * dimension + 1), kind);
  }
  /// Sets one face; a dimension is periodic at both ends or at none. Throws imbrex::error if `face` is an
  /// edge or a corner.
  constexpr boundaries& set(side<N> face, boundary kind) {
    kinds_[number_of(face)] = kind;
    return *this;
  }
  constexpr boundary operator[](side<N> face) const { return kinds_[number_of(face)]; }

  bool operator==(const boundaries&) const = default;
  void serialize(auto& ar) { ar(kinds_); }

 private:
  static constexpr std::size_t number_of(side<N> face) {
    if (!face.is_face()) [[unlikely]]
      detail::throw_not_a_face(face.number(), side<N>::faces);
    return static_cast<std::size_t>(face.number());
  }

  std::array<boundary, static_cast<std::size_t>(2 * N)> kinds_{};
};

/// A ghost cell beyond an end of the whole grid, for the function that gives its value.
template <int N>
struct outer_cell {
  index<N> where;          ///< index in the grid: below 0, or from its extent on, in the dimension of the end
  imbrex::side<N> across;  ///< face of the grid
  int field = 0;           ///< number of the field among those exchanged together
};

}  // namespace imbrex::grid
