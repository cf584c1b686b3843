// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <imbrex/core/name/index.hpp>
#include <imbrex/grid/boundaries.hpp>

namespace imbrex::cells {

/// Coordinates in D dimensions.
template <int D>
using point = std::array<double, static_cast<std::size_t>(D)>;

/// Text of a point: "(0.5, -1.25)".
template <int D>
std::string to_string(const point<D>& p);

/// Box that contains the elements, cut into cells of equal size, and the boundaries at its sides:
///
/// - `periodic`: the other end of the box follows; the elements there have images here.
/// - `reflecting`: a wall. An element that passes it comes back as in a mirror. If it has a member
///   `void reflect(int dimension)`, that is called, to turn the velocity.
/// - `open`: the outermost cells extend without an end, so no element is lost.
///
/// A message may carry a domain.
template <int D>
class domain {
  static_assert(D == 2 || D == 3, "imbrex: cells have 2 or 3 dimensions");

 public:
  domain() = default;
  /// Throws imbrex::error unless the corners are finite, `lower` is below `upper`, and there is a cell in
  /// each dimension. A dimension must be periodic at both ends or none, and no end may be
  /// `boundary::function`.
  domain(const point<D>& lower, const point<D>& upper, const index<D>& cells,
         const grid::boundaries<D>& ends = {});

  const point<D>& lower() const { return lower_; }  ///< corner with the smallest coordinates
  const point<D>& upper() const { return upper_; }  ///< corner with the largest coordinates
  const index<D>& cells() const { return cells_; }  ///< number of cells along each dimension
  /// Width of a cell, in each dimension.
  const point<D>& cell_width() const { return width_; }
  /// Number of cells per unit of length: the inverse of `cell_width()`.
  const point<D>& cells_in_unit() const { return inverse_width_; }
  /// Extent of the box along a dimension.
  double length(int dimension) const { return upper_[at(dimension)] - lower_[at(dimension)]; }
  double volume() const;  ///< Product of the lengths.
  /// Kind of the domain's end at this face.
  grid::boundary face_boundary(side<D> face) const { return ends_[face]; }
  /// True if the box continues at its other end in this dimension.
  bool is_periodic(int dimension) const { return ends_[side<D>(2 * dimension)] == grid::boundary::periodic; }

  /// Cell of a point of the box. For a point outside, the nearest cell.
  index<D> cell_of(const point<D>& where) const {
    index<D> cell;
    for (int d = 0; d < D; ++d) {
      const double c = (where[at(d)] - lower_[at(d)]) * inverse_width_[at(d)];
      // Comparisons in this order turn NaN, an invalid argument, into cell 0.
      cell[d] = c > 0 ? (c < cells_[d] ? static_cast<int>(c) : cells_[d] - 1) : 0;
    }
    return cell;
  }

  /// Brings a point that has left the box back into it: around periodic dimensions, mirrored at walls.
  /// Returns the dimensions in which it was mirrored an odd number of times, as bits. The point must be
  /// finite.
  unsigned bring_back(point<D>& where) const {
    bool is_inside = true;
    for (int d = 0; d < D; ++d) is_inside &= where[at(d)] >= lower_[at(d)] && where[at(d)] < upper_[at(d)];
    return is_inside ? 0 : bring_back_from_outside(where);
  }

  /// Number of layers of cells that `distance` reaches across, in each dimension. In dimensions that are not
  /// periodic, no more than there are cells. Throws imbrex::error if the distance is negative or not finite,
  /// or the layers are more than a million.
  index<D> layers(double distance) const;

  bool operator==(const domain&) const = default;
  void serialize(auto& ar) { ar(lower_, upper_, cells_, ends_, width_, inverse_width_); }

 private:
  static constexpr std::size_t at(int dimension) { return static_cast<std::size_t>(dimension); }
  unsigned bring_back_from_outside(point<D>& where) const;

  point<D> lower_{}, upper_{};
  index<D> cells_{};
  grid::boundaries<D> ends_{};
  point<D> width_{}, inverse_width_{};
};

extern template class domain<2>;
extern template class domain<3>;

}  // namespace imbrex::cells
