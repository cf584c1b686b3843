// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/copy_phase.hpp>

namespace imbrex::cells::detail {

template <int D>
bool copy_phase<D>::prepare(const block_geometry<D>& here, double width) {
  if (within_.distance == width) return false;
  within_ = make_reach(here.domain, here.cut, here.where, width, purpose::copies);
  return true;
}

template <int D>
void copy_phase<D>::find_needs(const move_phase<D>& moves) {
  const auto meet = [](const auto& some, const auto& others) {
    for (const auto& a : some)
      for (const auto& b : others)
        if (!common(a.cells, b.cells).empty()) return true;
    return false;
  };
  needs_.assign(within_.partners.size() + 1, {});
  const auto& movers = moves.within().partners;
  for (std::size_t m = 0; m < movers.size(); ++m) {
    for (std::size_t p = 0; p < within_.partners.size(); ++p)
      if (meet(movers[m].give, within_.partners[p].give)) needs_[p].push_back(m);
    if (meet(movers[m].give, within_.originals)) needs_.back().push_back(m);
  }
}

template <int D>
void copy_phase<D>::begin(std::int64_t phase, std::int64_t after) {
  const std::size_t partners = within_.partners.size();
  phase_ = phase;
  after_ = after;
  has_cell_.assign(within_.region.size(), 0);
  is_sent_.assign(partners + 1, 0);
  arrived_.assign(partners, 0);
  missing_ = partners;
  unsent_ = partners + 1;
}

template class copy_phase<2>;
template class copy_phase<3>;

}  // namespace imbrex::cells::detail
