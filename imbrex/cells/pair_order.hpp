// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/cells/domain.hpp>
#include <imbrex/core/extension/index.hpp>
#include <imbrex/grid/box.hpp>

namespace imbrex::cells::detail {

/// The cells near a cell, in the order in which pairs are visited.
template <int D>
class pair_order {
 public:
  /// For pairs within `distance`, in a region of cells. True if the order has changed.
  bool prepare(const cells::domain<D>& in, const grid::box<D>& region, double distance);
  void forget() { distance_ = -1; }

  /// Calls `function(slot)` for each cell of the region near the cell `at`, and for `at` itself, until it
  /// returns false. Returns true if it never did.
  template <class Function>
  bool for_each(const grid::box<D>& region, const index<D>& at, Function function) const {
    const index<D> inside = at - region.origin;
    const auto slot = static_cast<std::ptrdiff_t>(extension::linear(region.extents, inside));
    bool all_are_there = true;
    for (int d = 0; d < D; ++d)
      all_are_there &= inside[d] >= layers_[d] && inside[d] + layers_[d] < region.extents[d];
    for (std::size_t k = 0; k < offsets_.size(); ++k) {
      if (!all_are_there && !contains(region.extents, inside + offsets_[k])) continue;
      if (!function(static_cast<std::size_t>(slot + distances_[k]))) return false;
    }
    return true;
  }

 private:
  double distance_ = -1;
  std::vector<index<D>> offsets_;          ///< in order; includes (0, ..., 0)
  std::vector<std::ptrdiff_t> distances_;  ///< differences of slots
  index<D> layers_{};
};

extern template class pair_order<2>;
extern template class pair_order<3>;

}  // namespace imbrex::cells::detail
