// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/harness/extents.hpp"

namespace jacobi3d {

using namespace harness;  // names shared by programs on grids

/// The cells of one block before and after a sweep, and one layer of cells around it.
///
/// Rows begin on 64-byte boundaries and are padded to a multiple of 64 bytes. The surrounding layer is not in
/// the same array: each side has its own vector, in the form in which a neighbour sends it. So a received
/// face is used in place, without a copy. A sweep (see stencil.hpp) also writes the new outermost cells of
/// each shared side to a vector ready to be sent. Vectors circulate: the halo that a received face replaces
/// becomes the next outgoing face. So the steady state allocates nothing.
class block_field {
 public:
  /// A field without cells, for `serialize` to fill.
  block_field() = default;
  /// All cells are 0. `shared`: the sides with a neighbour; halos of the others keep their filled values.
  /// Extents must be at least 1. Throws std::bad_alloc.
  block_field(const extents& cells, const std::array<bool, sides>& shared);

  block_field(block_field&&) = default;
  block_field& operator=(block_field&&) = default;

  /// The bytes that a field of this size allocates, up to rounding to pages.
  static std::uint64_t bytes(const extents& cells);

  const extents& cells() const { return cells_; }
  bool shared(int side) const { return shared_[std::size_t(side)]; }

  /// The current value of a cell, counted from 0 within the block.
  double cell(std::int64_t i, std::int64_t j, std::int64_t k) const { return now_[offset(i, j, k)]; }

  /// Sets each cell to value(i, j, k), counted from 0 within the block, and also the layer around it (one
  /// index is -1 or the extent). Makes the first faces for take_face().
  template <class Value>
  void fill(Value value) {
    for (std::int64_t i = 0; i < cells_[0]; ++i)
      for (std::int64_t j = 0; j < cells_[1]; ++j)
        for (std::int64_t k = 0; k < cells_[2]; ++k) now_[offset(i, j, k)] = value(i, j, k);
    for (int side = 0; side < sides; ++side)
      for_each_of_side(side, [&](std::size_t at, std::int64_t i, std::int64_t j, std::int64_t k) {
        extents outside{i, j, k};
        outside[std::size_t(side / 2)] += side % 2 == 0 ? -1 : 1;
        halo_[std::size_t(side)][at] = value(outside[0], outside[1], outside[2]);
      });
    gather_faces();
  }

  /// The outermost cells of a shared side after the last sweep or fill(), for the neighbour's put_halo(side ^
  /// 1). Call it once between sweeps.
  std::vector<double> take_face(int side);

  /// Uses the neighbour's face as the layer outside `side` in the next sweep. Throws std::invalid_argument if
  /// the number of elements is not face_size(side).
  void put_halo(int side, std::vector<double> face);

  /// Elements of a face, padding included.
  std::size_t face_size(int side) const;

  /// Makes the outgoing faces from the current cells, for a field that was not written by a sweep.
  void gather_faces();

  /// The operands of a sweep, in the layout that stencil.cpp expects.
  struct sweep_view {
    const double* now;
    double* next;
    const double* halo[sides];
    double* face[sides];                 ///< null for sides that are not shared
    std::size_t row_pitch, plane_pitch;  ///< pitches of the cells; rows of faces have the same pitch
  };
  sweep_view view();
  /// A view for cells that need no halo of a shared side: without outgoing faces. The old halos in z, which
  /// the ends of rows still read, become NaN.
  sweep_view interior_view();

  /// Makes the cells written by a sweep the current ones.
  void flip() { std::swap(now_, next_); }

  /// Archives the current cells, the halos and the outgoing faces.
  void serialize(auto& ar) {
    ar(cells_, shared_, halo_, face_);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) make_storage();
    ar.bytes(now_, plane_pitch_ * std::size_t(cells_[0]) * sizeof(double));
  }

 private:
  struct release {
    void operator()(double* storage) const { std::free(storage); }
  };

  std::size_t offset(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return std::size_t(i) * plane_pitch_ + std::size_t(j) * row_pitch_ + std::size_t(k);
  }

  /// Calls visit(position in the face, i, j, k) for each outermost cell of a side.
  template <class Visit>
  void for_each_of_side(int side, Visit visit) const {
    const auto dimension = std::size_t(side / 2);
    extents first{0, 0, 0}, last = cells_;
    if (side % 2 == 0)
      last[dimension] = 1;
    else
      first[dimension] = cells_[dimension] - 1;
    for (std::int64_t i = first[0]; i < last[0]; ++i)
      for (std::int64_t j = first[1]; j < last[1]; ++j)
        for (std::int64_t k = first[2]; k < last[2]; ++k) visit(face_offset(dimension, i, j, k), i, j, k);
  }
  std::size_t face_offset(std::size_t dimension, std::int64_t i, std::int64_t j, std::int64_t k) const {
    if (dimension == 2) return std::size_t(i * cells_[1] + j);
    return std::size_t(dimension == 0 ? j : i) * row_pitch_ + std::size_t(k);
  }

  /// Allocates two arrays of zeros for the cells.
  void make_storage();

  extents cells_{};
  std::array<bool, sides> shared_{};
  std::size_t row_pitch_ = 0, plane_pitch_ = 0;
  std::unique_ptr<double, release> storage_;
  double* now_ = nullptr;
  double* next_ = nullptr;
  std::array<std::vector<double>, sides> halo_, face_;
};

}  // namespace jacobi3d
