// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of a cell set that move elements.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <imbrex/cells/declaration.hpp>

namespace imbrex::cells {

template <int D, class T>
template <class Move>
auto cell_set<D, T>::migrate(Move&& move, double most) -> phase {
  check_idle("migrate");
  if (has_columns<T> && moves_.phase() == 0) {
    detail::tidy(own_);
    by_slot_.clear();
  }
  if (moves_.prepare(here_, most) && copies_.is_prepared()) copies_.find_needs(moves_);
  const auto& partners = moves_.within().partners;
  ++sequence_;
  has_halo_ = false;
  moved_.clear();
  moved_.resize(partners.size());
  std::vector<moved_elements> leaving(partners.size());
  detail::element_mover<D, T>({own_, here_, sequence_, most}, scratch_)
      .move_all(move, [&](const index<D>& to, T&& e) {
        const auto [block, cell] = here_.place_of(to);
        leaving[detail::partner_of(moves_.within(), block)].push_back({cell, std::move(e)});
      });
  moves_.begin(sequence_);
  for (std::size_t p = 0; p < partners.size(); ++p)
    send(partners[p].block, detail::element_mover<D, T>::parcel_of(leaving[p]), sequence_);
  take_early();
  return {*this, moves_.phase(), condition::kind::moved_cell};
}

template <int D, class T>
template <class Chare, class Move>
task<> cell_set<D, T>::migrate_anywhere(Chare& self, Move move) {
  check_idle("migrate_anywhere");
  ++sequence_;
  has_halo_ = false;
  std::map<std::uint64_t, moved_elements> leaving;
  const double most = std::sqrt(std::numeric_limits<double>::max()) / 2;
  detail::element_mover<D, T>({own_, here_, sequence_, most}, scratch_)
      .move_all(move, [&](const index<D>& to, T&& e) {
        const auto [block, cell] = here_.place_of(to);
        leaving[block].push_back({cell, std::move(e)});
      });
  std::vector<std::pair<index<D>, parcel>> outgoing_parcels;
  for (auto& [block, movers] : leaving)
    outgoing_parcels.emplace_back(extension::from_linear(here_.cut.shape(), block),
                                  detail::element_mover<D, T>::parcel_of(movers));
  auto incoming_parcels = co_await imbrex::exchange(self, std::move(outgoing_parcels));
  for (auto& [from, p] : incoming_parcels)
    for (std::size_t i = 0; i < p.elements.size(); ++i) own_[p.cells[i]].push(std::move(p.elements[i]));
}

/// Takes the elements of a partner. An own cell is complete when all elements that may move to it have
/// arrived. They are added in the order of the partners, not of arrival.
template <int D, class T>
void cell_set<D, T>::take_moved(std::size_t from, parcel&& p) {
  if (p.cells.size() != p.elements.size() || (!p.cells.empty() && p.cells.back() >= own_.size()))
    return problem_.set(detail::other_count_text(moves_.phase(), here_.block_text(p.from), p.cells.size(),
                                                 p.elements.size()));
  moved_[from] = std::move(p);
  moves_.add(from, [this](std::uint32_t cell) {
    for (auto& each : moved_) {
      const auto those = std::ranges::equal_range(each.cells, cell);
      for (auto at = those.begin(); at != those.end(); ++at)
        own_[cell].push(std::move(each.elements[static_cast<std::size_t>(at - each.cells.begin())]));
    }
  });
  if (!moves_.is_active()) moved_.clear();
}

}  // namespace imbrex::cells
