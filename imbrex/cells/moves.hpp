// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of a cell set that move elements.

#include <algorithm>
#include <map>

#include <imbrex/cells/declaration.hpp>

namespace imbrex::cells {

template <int D, class T>
void cell_set<D, T>::check_inserted(const T& e) const {
  const auto& [lower, upper] = std::pair(domain_.lower(), domain_.upper());
  for (int d = 0; d < D; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const double x = e.position[k];
    const bool is_below_lower = x < lower[k] && domain_.face_boundary(side<D>(2 * d)) != grid::boundary::open;
    const bool is_above_upper =
        x > upper[k] && domain_.face_boundary(side<D>(2 * d + 1)) != grid::boundary::open;
    const bool is_other_end = x == upper[k] && domain_.is_periodic(d);
    if (!std::isfinite(x) || is_below_lower || is_above_upper || is_other_end) [[unlikely]]
      detail::throw_outside(detail::name_of(e, size()), to_string<D>(e.position), to_string<D>(lower),
                            to_string<D>(upper));
  }
  const index<D> to = domain_.cell_of(e.position);
  if (!own_box_.contains(to)) [[unlikely]]
    detail::throw_not_own_cell(detail::name_of(e, size()), to_string<D>(e.position), imbrex::to_string(to),
                               imbrex::to_string(where_));
}

template <int D, class T>
void cell_set<D, T>::prepare_moves(double most) {
  if (moves_.distance == most) return;
  // The reach is slightly larger, since distances and cells are rounded.
  moves_ = detail::make_reach(domain_, cut_, where_, most * (1 + 1e-6), detail::purpose::moves);
  moves_.distance = most;
  senders_.assign(own_.size(), 0);
  reachable_.assign(moves_.partners.size(), {});
  std::vector<std::size_t> last(own_.size(), 0);
  for (std::size_t p = 0; p < moves_.partners.size(); ++p)
    for (const auto& part : moves_.partners[p].give)
      for (const auto& at : part.cells) {
        const std::size_t n = number_of(at);
        if (last[n] == p + 1) continue;
        last[n] = p + 1;
        ++senders_[n];
        reachable_[p].push_back(static_cast<std::uint32_t>(n));
      }
  if (copies_.distance >= 0) find_needs();
}

/// Handles an element of an own cell that has moved: it stays there, or leaves by `leave(cell, element)`.
template <int D, class T>
template <class Leave>
void cell_set<D, T>::settle(std::size_t number, std::size_t place, std::size_t& kept, const point<D>& before,
                            double most, Leave& leave) {
  auto& here = own_[number];
  const point<D> moved = here.template position<D>(place);
  double squared = 0;
  for (std::size_t d = 0; d < moved.size(); ++d) squared += (moved[d] - before[d]) * (moved[d] - before[d]);
  // This form of comparison makes NaN an error, too.
  if (!(squared <= most * most * (1 + 1e-9)) || squared > std::numeric_limits<double>::max()) [[unlikely]] {
    const T e = here.get(place);
    if (!(squared <= std::numeric_limits<double>::max()))
      detail::throw_not_a_position(named(e, place, number), to_string<D>(moved));
    detail::throw_moved_too_far(named(e, place, number), to_string<D>(moved), std::sqrt(squared), most);
  }
  point<D> after = moved;
  const unsigned mirrored = domain_.bring_back(after);
  const index<D> to = domain_.cell_of(after);
  const bool is_own = own_box_.contains(to);
  if (is_own && number_of(to) == number && mirrored == 0) {
    if (after != moved) here.template place<D>(place, after);
    if (kept != place) here.shift(place, kept);
    ++kept;
    return;
  }
  T e = [&] {
    if constexpr (has_columns<T>)
      return here.get(place);
    else
      return std::move(here[place]);
  }();
  e.position = after;
  if constexpr (requires { e.reflect(0); })
    for (int d = 0; d < D; ++d)
      if ((mirrored >> static_cast<unsigned>(d) & 1U) != 0) e.reflect(d);
  if (!is_own)
    leave(to, std::move(e));
  else if (number_of(to) == number)
    here.set(kept++, std::move(e));
  else
    own_movers_.push_back({static_cast<std::uint32_t>(number_of(to)), std::move(e)});
}

/// True if all elements of an own cell lie in it, and none has moved too far. This is the usual case, and
/// needs no branch per element.
template <int D, class T>
bool cell_set<D, T>::all_stay(std::size_t number, double most) {
  static_assert(has_columns<T>);
  const auto& here = own_[number];
  const index<D> at = own_box_.origin + extension::from_linear(own_box_.extents, number);
  const std::size_t n = here.size();
  squared_.assign(n, 0);
  double* const squared = squared_.data();
  bool stays = true;
  [&]<std::size_t... C>(std::index_sequence<C...>) {
    (
        [&] {
          constexpr int d = static_cast<int>(C);
          const double* const x = here.template column<C>().data();
          const double* const before = before_[C].data();
          const double lower = domain_.lower()[C], upper = domain_.upper()[C],
                       scale = domain_.cells_in_unit()[C];
          const double first = at[d], end = at[d] + 1;
          unsigned inside = 1;
          for (std::size_t i = 0; i < n; ++i) {
            const double by = x[i] - before[i];
            squared[i] += by * by;
            const double c = (x[i] - lower) * scale;
            inside &= static_cast<unsigned>(c >= first) & static_cast<unsigned>(c < end) &
                      static_cast<unsigned>(x[i] >= lower) & static_cast<unsigned>(x[i] < upper);
          }
          stays = stays && inside != 0;
        }(),
        ...);
  }(std::make_index_sequence<static_cast<std::size_t>(D)>());
  for (std::size_t i = 0; i < n; ++i) stays = stays & (squared[i] <= most * most);
  return stays;
}

template <int D, class T>
template <class Move, class Leave>
void cell_set<D, T>::move_cell(std::size_t number, Move& move, double most, Leave& leave) {
  auto& here = own_[number];
  const std::size_t n = here.size();
  if (n == 0) return;
  std::size_t kept = 0;
  if constexpr (has_columns<T> && std::is_invocable_v<Move&, cell_type&>) {
    [&]<std::size_t... C>(std::index_sequence<C...>) {
      (before_[C].assign(here.template column<C>().begin(), here.template column<C>().end()), ...);
    }(std::make_index_sequence<static_cast<std::size_t>(D)>());
    move(here);
    if (all_stay(number, most)) return;
    for (std::size_t i = 0; i < n; ++i) {
      point<D> before;
      for (std::size_t d = 0; d < before.size(); ++d) before[d] = before_[d][i];
      settle(number, i, kept, before, most, leave);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const point<D> before = here.template position<D>(i);
      if constexpr (has_columns<T>) {
        T e = here.get(i);
        move(e);
        here.set(i, std::move(e));
      } else {
        move(here[i]);
      }
      settle(number, i, kept, before, most, leave);
    }
  }
  if (kept != n) here.truncate(kept);
}

template <int D, class T>
template <class Move, class Leave>
void cell_set<D, T>::move_all(Move& move, double most, Leave leave) {
  own_movers_.clear();
  for (std::size_t c = 0; c < own_.size(); ++c) move_cell(c, move, most, leave);
  for (auto& m : own_movers_) own_[m.cell].push(std::move(m.element));
  own_movers_.clear();
}

template <int D, class T>
auto cell_set<D, T>::parcel_of(std::vector<mover>& movers) -> parcel {
  std::vector<std::uint64_t> order(movers.size());  // by cell, and within a cell in the present order
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::uint64_t{movers[i].cell} << 32U | i;
  std::ranges::sort(order);
  parcel p{.what = detail::activity::migrate};
  p.cells.reserve(movers.size());
  p.elements.reserve(movers.size());
  for (const std::uint64_t o : order) {
    auto& m = movers[o & 0xffffffffU];
    p.cells.push_back(m.cell);
    p.elements.push_back(std::move(m.element));
  }
  return p;
}

/// Rebuilds the cells so that the memory of neighbouring cells lies side by side. Cells that grew by single
/// insertions lie scattered.
template <int D, class T>
void cell_set<D, T>::tidy() {
  if constexpr (std::is_copy_constructible_v<cell_type>) {
    std::vector<cell_type> fresh;
    fresh.reserve(own_.size());
    for (const auto& c : own_) fresh.push_back(c);
    own_.swap(fresh);
    by_slot_.clear();
  }
}

template <int D, class T>
template <class Move>
auto cell_set<D, T>::migrate(Move&& move, double most) -> phase {
  check_idle("migrate");
  if (has_columns<T> && moving_ == 0) tidy();
  prepare_moves(most);
  const std::size_t partners = moves_.partners.size();
  moving_ = ++sequence_;
  has_halo_ = false;
  waiting_for_ = senders_;
  moved_.clear();
  moved_.resize(partners);
  has_moved_.assign(partners, 0);
  std::vector<std::vector<mover>> leaving(partners);
  move_all(move, most, [&](const index<D>& to, T&& e) {
    const index<D> block = cut_.block_of(to);
    const std::size_t p = partner_of(moves_, extension::linear(cut_.shape(), block));
    const auto there = cut_[block];
    leaving[p].push_back(
        {static_cast<std::uint32_t>(extension::linear(there.extents, to - there.origin)), std::move(e)});
  });
  moves_missing_ = partners;
  for (std::size_t p = 0; p < partners; ++p) send(moves_.partners[p].block, parcel_of(leaving[p]), moving_);
  take_early();
  return {*this, moving_, condition::kind::moved_cell};
}

template <int D, class T>
template <class Chare, class Move>
task<> cell_set<D, T>::migrate_anywhere(Chare& self, Move move) {
  check_idle("migrate_anywhere");
  ++sequence_;
  has_halo_ = false;
  std::map<std::uint64_t, std::vector<mover>> leaving;
  move_all(move, std::sqrt(std::numeric_limits<double>::max()) / 2, [&](const index<D>& to, T&& e) {
    const index<D> block = cut_.block_of(to);
    const auto there = cut_[block];
    leaving[extension::linear(cut_.shape(), block)].push_back(
        {static_cast<std::uint32_t>(extension::linear(there.extents, to - there.origin)), std::move(e)});
  });
  std::vector<std::pair<index<D>, parcel>> outgoing_parcels;
  for (auto& [block, movers] : leaving)
    outgoing_parcels.emplace_back(extension::from_linear(cut_.shape(), block), parcel_of(movers));
  auto incoming_parcels = co_await imbrex::exchange(self, std::move(outgoing_parcels));
  for (auto& [from, p] : incoming_parcels)
    for (std::size_t i = 0; i < p.elements.size(); ++i) own_[p.cells[i]].push(std::move(p.elements[i]));
}

/// Completes an own cell: all elements that may move to it have arrived. They are added in the order of the
/// partners, not of arrival.
template <int D, class T>
void cell_set<D, T>::complete(std::size_t cell) {
  for (auto& p : moved_) {
    const auto those = std::ranges::equal_range(p.cells, static_cast<std::uint32_t>(cell));
    for (auto at = those.begin(); at != those.end(); ++at)
      own_[cell].push(std::move(p.elements[static_cast<std::size_t>(at - p.cells.begin())]));
  }
}

template <int D, class T>
void cell_set<D, T>::take_moved(std::size_t from, parcel&& p) {
  if (p.cells.size() != p.elements.size() || (!p.cells.empty() && p.cells.back() >= own_.size())) {
    problem_ = detail::other_count_text(moving_, block_text(p.from), p.cells.size(), p.elements.size());
    return;
  }
  moved_[from] = std::move(p);
  has_moved_[from] = 1;
  --moves_missing_;
  for (const std::uint32_t c : reachable_[from])
    if (--waiting_for_[c] == 0) complete(c);
  if (moves_missing_ == 0) moved_.clear();
}

}  // namespace imbrex::cells
