// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/move_phase.hpp>

namespace imbrex::cells::detail {

template <int D>
bool move_phase<D>::prepare(const block_geometry<D>& here, double most) {
  if (within_.distance == most) return false;
  // The reach is slightly larger, since distances and cells are rounded.
  within_ = make_reach(here.domain, here.cut, here.where, most * (1 + 1e-6), purpose::moves);
  within_.distance = most;
  const std::size_t cells = here.own.size();
  senders_.assign(cells, 0);
  reachable_.assign(within_.partners.size(), {});
  std::vector<std::size_t> last(cells, 0);
  for (std::size_t p = 0; p < within_.partners.size(); ++p)
    for (const auto& part : within_.partners[p].give)
      for (const auto& at : part.cells) {
        const std::size_t n = here.number_of(at);
        if (last[n] == p + 1) continue;
        last[n] = p + 1;
        ++senders_[n];
        reachable_[p].push_back(static_cast<std::uint32_t>(n));
      }
  return true;
}

template <int D>
void move_phase<D>::begin(std::int64_t phase) {
  phase_ = phase;
  waiting_for_ = senders_;
  arrived_.assign(within_.partners.size(), 0);
  missing_ = within_.partners.size();
}

template class move_phase<2>;
template class move_phase<3>;

}  // namespace imbrex::cells::detail
