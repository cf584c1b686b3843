// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/cells/block_geometry.hpp>
#include <imbrex/cells/cell.hpp>
#include <imbrex/cells/errors.hpp>
#include <imbrex/cells/parcel.hpp>

namespace imbrex::cells::detail {

/// An element, and the index of its new cell among those of the block.
template <class T>
struct moved_element {
  std::uint32_t cell;
  T element;
};

/// The cells of a block whose elements move, and the longest allowed move.
template <int D, class T>
struct moving_block {
  std::vector<cell<T>>& own;
  const block_geometry<D>& here;
  std::int64_t phase;
  double most;
};

/// Memory that moves use, kept from one migration to the next.
template <int D, class T>
struct move_scratch {
  std::vector<moved_element<T>> stays;  ///< elements that move between own cells
  std::array<std::vector<double>, static_cast<std::size_t>(D)>
      before;                   ///< positions of the elements of one cell, before a move
  std::vector<double> squared;  ///< squared distances that they have moved
};

/// Moves all elements of a block, and finds those that leave their cells.
template <int D, class T>
class element_mover {
 public:
  element_mover(const moving_block<D, T>& of, move_scratch<D, T>& memory)
      : of_(of), stays_(memory.stays), before_(memory.before), squared_(memory.squared) {}

  /// Moves all elements by `move`. Calls leave(cell, element) for those that leave the block.
  template <class Move, class Leave>
  void move_all(Move& move, Leave leave);
  /// The message with elements that leave for another block.
  static parcel<T> parcel_of(std::vector<moved_element<T>>& movers);

 private:
  named_element named(const T& e, std::size_t place, std::size_t number) const {
    return {name_of(e, place), imbrex::to_string(of_.here.cell(number)), of_.here.here_text(), of_.phase};
  }
  template <class Leave>
  void settle(std::size_t number, std::size_t place, std::size_t& kept, const point<D>& before, Leave& leave);
  bool all_stay(std::size_t number);
  template <class Move, class Leave>
  void move_cell(std::size_t number, Move& move, Leave& leave);

  moving_block<D, T> of_;
  std::vector<moved_element<T>>& stays_;
  std::array<std::vector<double>, static_cast<std::size_t>(D)>& before_;
  std::vector<double>& squared_;
};

/// Handles an element of an own cell that has moved: it stays there, or leaves by `leave(cell, element)`.
template <int D, class T>
template <class Leave>
void element_mover<D, T>::settle(std::size_t number, std::size_t place, std::size_t& kept,
                                 const point<D>& before, Leave& leave) {
  auto& own = of_.own[number];
  const point<D> moved = own.template position<D>(place);
  double squared = 0;
  for (std::size_t d = 0; d < moved.size(); ++d) squared += (moved[d] - before[d]) * (moved[d] - before[d]);
  // This form of comparison makes NaN an error, too.
  if (!(squared <= of_.most * of_.most * (1 + 1e-9)) || squared > std::numeric_limits<double>::max())
      [[unlikely]] {
    const T e = own.get(place);
    if (!(squared <= std::numeric_limits<double>::max()))
      throw_not_a_position(named(e, place, number), to_string<D>(moved));
    throw_moved_too_far(named(e, place, number), to_string<D>(moved), std::sqrt(squared), of_.most);
  }
  point<D> after = moved;
  const unsigned mirrored = of_.here.domain.bring_back(after);
  const index<D> to = of_.here.domain.cell_of(after);
  const bool is_own = of_.here.own.contains(to);
  if (is_own && of_.here.number_of(to) == number && mirrored == 0) {
    if (after != moved) own.template place<D>(place, after);
    if (kept != place) own.shift(place, kept);
    ++kept;
    return;
  }
  T e = [&] {
    if constexpr (has_columns<T>)
      return own.get(place);
    else
      return std::move(own[place]);
  }();
  e.position = after;
  if constexpr (requires { e.reflect(0); })
    for (int d = 0; d < D; ++d)
      if ((mirrored >> static_cast<unsigned>(d) & 1U) != 0) e.reflect(d);
  if (!is_own)
    leave(to, std::move(e));
  else if (of_.here.number_of(to) == number)
    own.set(kept++, std::move(e));
  else
    stays_.push_back({static_cast<std::uint32_t>(of_.here.number_of(to)), std::move(e)});
}

/// True if all elements of an own cell lie in it, and none has moved too far. This is the usual case, and
/// needs no branch per element.
template <int D, class T>
bool element_mover<D, T>::all_stay(std::size_t number) {
  static_assert(has_columns<T>);
  const auto& own = of_.own[number];
  const index<D> at = of_.here.cell(number);
  const std::size_t n = own.size();
  squared_.assign(n, 0);
  double* const squared = squared_.data();
  bool stays = true;
  [&]<std::size_t... C>(std::index_sequence<C...>) {
    (
        [&] {
          constexpr int d = static_cast<int>(C);
          const double* const x = own.template column<C>().data();
          const double* const before = before_[C].data();
          const double lower = of_.here.domain.lower()[C], upper = of_.here.domain.upper()[C],
                       scale = of_.here.domain.cells_in_unit()[C];
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
  for (std::size_t i = 0; i < n; ++i) stays = stays & (squared[i] <= of_.most * of_.most);
  return stays;
}

template <int D, class T>
template <class Move, class Leave>
void element_mover<D, T>::move_cell(std::size_t number, Move& move, Leave& leave) {
  auto& own = of_.own[number];
  const std::size_t n = own.size();
  if (n == 0) return;
  std::size_t kept = 0;
  if constexpr (has_columns<T> && std::is_invocable_v<Move&, cell<T>&>) {
    [&]<std::size_t... C>(std::index_sequence<C...>) {
      (before_[C].assign(own.template column<C>().begin(), own.template column<C>().end()), ...);
    }(std::make_index_sequence<static_cast<std::size_t>(D)>());
    move(own);
    if (all_stay(number)) return;
    for (std::size_t i = 0; i < n; ++i) {
      point<D> before;
      for (std::size_t d = 0; d < before.size(); ++d) before[d] = before_[d][i];
      settle(number, i, kept, before, leave);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const point<D> before = own.template position<D>(i);
      if constexpr (has_columns<T>) {
        T e = own.get(i);
        move(e);
        own.set(i, std::move(e));
      } else {
        move(own[i]);
      }
      settle(number, i, kept, before, leave);
    }
  }
  if (kept != n) own.truncate(kept);
}

template <int D, class T>
template <class Move, class Leave>
void element_mover<D, T>::move_all(Move& move, Leave leave) {
  stays_.clear();
  for (std::size_t c = 0; c < of_.own.size(); ++c) move_cell(c, move, leave);
  for (auto& m : stays_) of_.own[m.cell].push(std::move(m.element));
  stays_.clear();
}

template <int D, class T>
auto element_mover<D, T>::parcel_of(std::vector<moved_element<T>>& movers) -> parcel<T> {
  std::vector<std::uint64_t> order(movers.size());  // by cell, and within a cell in the present order
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::uint64_t{movers[i].cell} << 32U | i;
  std::ranges::sort(order);
  parcel<T> p{.what = activity::migrate};
  p.cells.reserve(movers.size());
  p.elements.reserve(movers.size());
  for (const std::uint64_t o : order) {
    auto& m = movers[o & 0xffffffffU];
    p.cells.push_back(m.cell);
    p.elements.push_back(std::move(m.element));
  }
  return p;
}

/// Rebuilds cells so that the memory of neighbouring cells lies side by side. Cells that grew by single
/// insertions lie scattered.
template <class T>
void tidy(std::vector<cell<T>>& cells) {
  if constexpr (std::is_copy_constructible_v<cell<T>>) {
    std::vector<cell<T>> fresh;
    fresh.reserve(cells.size());
    for (const auto& c : cells) fresh.push_back(c);
    cells.swap(fresh);
  }
}

}  // namespace imbrex::cells::detail
