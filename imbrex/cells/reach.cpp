// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/reach.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/index.hpp>

namespace imbrex::cells::detail {
namespace {

// Range of cells in one dimension: a block, and the number of times around.
struct interval {
  int block;
  int wrap;
};

template <int D>
std::vector<interval> intervals_in(const domain<D>& box, const grid::decomposition<D>& cut, int d, int from,
                                   int end) {
  const int n = box.cells()[d];
  int first_wrap = 0, last_wrap = 0;
  if (box.is_periodic(d)) {
    first_wrap = from >= 0 ? from / n : -((-from + n - 1) / n);
    last_wrap = (end - 1) / n;
  }
  std::vector<interval> all;
  index<D> block;
  for (int wrap = first_wrap; wrap <= last_wrap; ++wrap)
    for (block[d] = 0; block[d] < cut.shape()[d]; ++block[d]) {
      const auto cells = cut[block];
      const int origin = cells.origin[d] + wrap * n;
      if (origin < end && origin + cells.extents[d] > from) all.push_back({block[d], wrap});
    }
  return all;
}

template <int D>
grid::box<D> moved(const grid::box<D>& of, const index<D>& wrap, const index<D>& cells, int sign) {
  grid::box<D> there = of;
  for (int d = 0; d < D; ++d) there.origin[d] += sign * wrap[d] * cells[d];
  return there;
}

template <int D>
grid::box<D> widened(grid::box<D> of, const index<D>& layers) {
  for (int d = 0; d < D; ++d) {
    of.origin[d] -= layers[d];
    of.extents[d] += 2 * layers[d];
  }
  return of;
}

}  // namespace

template <int D>
reach<D> make_reach(const domain<D>& box, const grid::decomposition<D>& cut, const index<D>& block,
                    double distance, purpose of) {
  reach<D> r;
  r.distance = distance;
  r.layers = box.layers(distance);
  if (of == purpose::moves)
    for (int d = 0; d < D; ++d) r.layers[d] = std::min(r.layers[d], box.cells()[d]);
  const auto own = cut[block];
  r.region = widened(own, r.layers);
  for (int d = 0; d < D; ++d) {
    if (box.is_periodic(d)) continue;
    const int end = std::min(r.region.origin[d] + r.region.extents[d], box.cells()[d]);
    r.region.origin[d] = std::max(r.region.origin[d], 0);
    r.region.extents[d] = end - r.region.origin[d];
  }
  std::array<std::vector<interval>, static_cast<std::size_t>(D)> along;
  index<D> counts;
  for (int d = 0; d < D; ++d) {
    auto& those = along[static_cast<std::size_t>(d)];
    those = intervals_in(box, cut, d, r.region.origin[d], r.region.origin[d] + r.region.extents[d]);
    counts[d] = static_cast<int>(those.size());
  }
  std::map<std::uint64_t, partner<D>> found;
  for (const auto& i : indices(counts)) {
    index<D> where, wrap;
    for (int d = 0; d < D; ++d) {
      const auto& [b, k] = along[static_cast<std::size_t>(d)][static_cast<std::size_t>(i[d])];
      where[d] = b;
      wrap[d] = k;
    }
    if (where == block && wrap == index<D>()) continue;
    const auto neighbour_cells = moved(cut[where], wrap, box.cells(), 1);
    const part<D> take{wrap, common(r.region, neighbour_cells)};
    const part<D> give{index<D>() - wrap, common(own, widened(neighbour_cells, r.layers))};
    if (where == block) {
      r.images.push_back(take);
      r.originals.push_back({wrap, moved(take.cells, wrap, box.cells(), -1)});
      continue;
    }
    const std::uint64_t number = extension::linear(cut.shape(), where);
    auto& p = found[number];
    p.block = number;
    p.where = where;
    p.take.push_back(take);
    p.give.push_back(give);
  }
  const auto by_wrap = [](const part<D>& a, const part<D>& b) { return a.wrap < b.wrap; };
  for (auto& [number, p] : found) {
    std::ranges::sort(p.take, by_wrap);
    std::ranges::sort(p.give, by_wrap);
    r.partners.push_back(std::move(p));
  }
  return r;
}

template reach<2> make_reach(const domain<2>&, const grid::decomposition<2>&, const index<2>&, double,
                             purpose);
template reach<3> make_reach(const domain<3>&, const grid::decomposition<3>&, const index<3>&, double,
                             purpose);

}  // namespace imbrex::cells::detail
