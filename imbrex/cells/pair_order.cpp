// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/pair_order.hpp>

#include <algorithm>
#include <cmath>

namespace imbrex::cells::detail {

template <int D>
bool pair_order<D>::prepare(const cells::domain<D>& in, const grid::box<D>& region, double distance) {
  if (distance_ == distance) return false;
  distance_ = distance;
  offsets_.clear();
  distances_.clear();
  layers_ = in.layers(distance);
  index<D> window;
  for (int d = 0; d < D; ++d) window[d] = 2 * layers_[d] + 1;
  for (const auto& i : indices(window)) {
    const index<D> offset = i - layers_;
    double squared = 0;
    for (int d = 0; d < D; ++d) {
      const double gap = std::max(std::abs(offset[d]) - 1, 0) * in.cell_width()[static_cast<std::size_t>(d)];
      squared += gap * gap;
    }
    // At open ends, elements outside belong to the outermost cells, and are no closer to other cells than
    // these.
    if (squared >= distance * distance * (1 - 1e-12) && offset != index<D>()) continue;
    std::ptrdiff_t between = 0;
    for (int d = 0; d < D; ++d) between = between * region.extents[d] + offset[d];
    offsets_.push_back(offset);
    distances_.push_back(between);
  }
  return true;
}

template class pair_order<2>;
template class pair_order<3>;

}  // namespace imbrex::cells::detail
