// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks of cells within a distance of a block, and their cells within that distance.

#include <cstdint>
#include <vector>

#include <imbrex/cells/domain.hpp>
#include <imbrex/grid/box.hpp>
#include <imbrex/grid/decomposition.hpp>

namespace imbrex::cells::detail {

/// Some cells of a block, as seen from another. `wrap` is the number of times around each periodic dimension.
template <int D>
struct part {
  index<D> wrap;
  grid::box<D> cells;

  bool operator==(const part&) const = default;
};

/// Another block within reach. Both blocks list their parts in the order of the wraps that the receiver sees.
template <int D>
struct partner {
  std::uint64_t block = 0;  ///< number of the block in the array
  index<D> where{};
  std::vector<part<D>> give;  ///< cells of this block within the partner's reach, and their wraps as the
                              ///< partner sees them
  std::vector<part<D>> take;  ///< the partner's cells within reach, in the coordinates of this block: not
                              ///< wrapped
};

/// Cells and partners within a distance of a block. Reach is symmetric: a block gives to the blocks it takes
/// from.
template <int D>
struct reach {
  double distance = -1;
  index<D> layers{};
  grid::box<D> region;               ///< this block and the layers around it, not wrapped
  std::vector<partner<D>> partners;  ///< other blocks, by number
  std::vector<part<D>> images;       ///< `take` parts of this block itself
  /// Own cells that `images` show, in the same order; their indices are not wrapped.
  std::vector<part<D>> originals;
};

/// Use of a reach: for copies, a cell counts wherever it is seen; for moves, once around a dimension is
/// enough.
enum class purpose : std::uint8_t { copies, moves };

/// Computes the reach of a block. O(blocks along the sides + partners).
template <int D>
reach<D> make_reach(const domain<D>& box, const grid::decomposition<D>& cut, const index<D>& block,
                    double distance, purpose of);

extern template reach<2> make_reach(const domain<2>&, const grid::decomposition<2>&, const index<2>&, double,
                                    purpose);
extern template reach<3> make_reach(const domain<3>&, const grid::decomposition<3>&, const index<3>&, double,
                                    purpose);

/// Intersection of two boxes.
template <int D>
constexpr grid::box<D> common(const grid::box<D>& a, const grid::box<D>& b) {
  grid::box<D> both;
  for (int d = 0; d < D; ++d) {
    both.origin[d] = a.origin[d] > b.origin[d] ? a.origin[d] : b.origin[d];
    const int a_end = a.origin[d] + a.extents[d], b_end = b.origin[d] + b.extents[d];
    const int end = a_end < b_end ? a_end : b_end;
    both.extents[d] = end > both.origin[d] ? end - both.origin[d] : 0;
  }
  return both;
}

}  // namespace imbrex::cells::detail
