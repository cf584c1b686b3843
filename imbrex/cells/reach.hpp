// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which blocks of cells lie within a distance of one, and with which of their cells.

#include <cstdint>
#include <vector>

#include <imbrex/cells/domain.hpp>
#include <imbrex/grid/box.hpp>
#include <imbrex/grid/decomposition.hpp>

namespace imbrex::cells::detail {

/// Some cells of a block, seen from another: `wrap` says how many times around each periodic dimension.
template <int D>
struct part {
  index<D> wrap;
  grid::box<D> cells;

  bool operator==(const part&) const = default;
};

/// Another block within reach. Both sides list their parts in the order of the wraps that the receiver sees.
template <int D>
struct partner {
  std::uint64_t block = 0;  ///< its number in the array
  index<D> where{};
  std::vector<part<D>> give;  ///< cells of this block that lie within reach of it, and how it sees them
  std::vector<part<D>> take;  ///< its cells within reach, in the coordinates of this block: not wrapped
};

/// Reach is symmetric: blocks give to whom they take from.
template <int D>
struct reach {
  double distance = -1;
  index<D> layers{};
  grid::box<D> region;               ///< this block and the layers around it, not wrapped
  std::vector<partner<D>> partners;  ///< other blocks, by number
  std::vector<part<D>> images;       ///< of this block: `take` parts
  /// The same cells, not wrapped.
  std::vector<part<D>> originals;
};

/// What a reach is for: a copy of each cell wherever it is seen, or moves, for which once around is all.
enum class purpose : std::uint8_t { copies, moves };

/// O(blocks along the sides + partners).
template <int D>
reach<D> make_reach(const domain<D>& box, const grid::decomposition<D>& cut, const index<D>& block,
                    double distance, purpose of);

extern template reach<2> make_reach(const domain<2>&, const grid::decomposition<2>&, const index<2>&, double,
                                    purpose);
extern template reach<3> make_reach(const domain<3>&, const grid::decomposition<3>&, const index<3>&, double,
                                    purpose);

/// What two boxes have in common.
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
