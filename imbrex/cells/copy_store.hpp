// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/cells/block_geometry.hpp>
#include <imbrex/cells/cell.hpp>
#include <imbrex/cells/copy_numbers.hpp>
#include <imbrex/cells/copy_phase.hpp>
#include <imbrex/cells/parcel.hpp>

namespace imbrex::cells::detail {

/// Copies of elements of other blocks, and of this one as images, by slot; and the selection of own elements
/// that others copy.
template <int D, class T>
class copy_store {
 public:
  /// Makes the cells of a region, whose slots of own cells stay empty.
  void prepare(std::size_t slots) {
    cells_.clear();
    cells_.resize(slots);
    for (std::size_t i = 0; i < slots; ++i) cells_[i].be(i, false);
  }
  void begin(std::size_t partners) {
    for (auto& c : cells_) c.clear();
    numbers_.begin(partners);
  }
  cell<T>& operator[](std::size_t slot) { return cells_[slot]; }
  const cell<T>& operator[](std::size_t slot) const { return cells_[slot]; }
  const copy_numbers& numbers() const { return numbers_; }

  /// The copies of own elements for a partner.
  parcel<T> copies_for(const block_geometry<D>& here, const std::vector<cell<T>>& own,
                       const copy_phase<D>& in, std::size_t partner);
  /// Copies own elements to their images.
  void copy_images(const block_geometry<D>& here, const std::vector<cell<T>>& own, copy_phase<D>& in);
  /// Takes copies of a partner.
  struct outcome {
    bool is_valid;
    std::size_t cells;  ///< number of cells that the copies should have
  };
  outcome take(copy_phase<D>& in, std::size_t partner, parcel<T>&& p);
  /// Numbers the elements and copies, unless they are numbered.
  void number(const std::vector<cell<T>>& own, const copy_phase<D>& in);

  void serialize(auto& ar) { ar(cells_, numbers_); }

 private:
  template <class Take>
  static void select(const block_geometry<D>& here, const std::vector<cell<T>>& own, const part<D>& of,
                     const typename block_geometry<D>::bounds& inside, copy_selection& selection, Take take);

  std::vector<cell<T>> cells_;
  copy_numbers numbers_;
};

/// Selects those elements of a part that, shifted, lie in a box. Calls `take(cell, T&&)` for each selected
/// element, and `take(cell, count)` with their number in each cell.
template <int D, class T>
template <class Take>
void copy_store<D, T>::select(const block_geometry<D>& here, const std::vector<cell<T>>& own,
                              const part<D>& of, const typename block_geometry<D>::bounds& inside,
                              copy_selection& selection, Take take) {
  const point<D> shift = here.shift_of(of.wrap);
  for (const auto& at : of.cells) {
    const std::size_t n = here.number_of(at);
    const auto& c = own[n];
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      point<D> x = c.template position<D>(i);
      bool is_inside = true;
      for (std::size_t d = 0; d < x.size(); ++d) {
        x[d] += shift[d];
        is_inside &= x[d] >= inside.lower[d] && x[d] <= inside.upper[d];
      }
      if (!is_inside) continue;
      T e = c.get(i);
      e.position = x;
      take(at, std::move(e));
      selection.elements.push_back({static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(i)});
      ++count;
    }
    take(at, count);
  }
  selection.ends.push_back(selection.elements.size());
}

template <int D, class T>
parcel<T> copy_store<D, T>::copies_for(const block_geometry<D>& here, const std::vector<cell<T>>& own,
                                       const copy_phase<D>& in, std::size_t partner) {
  const auto& to = in.within().partners[partner];
  parcel<T> p{.what = activity::cache};
  const auto bounds = here.bounds_around(here.cut[to.where], in.within().distance);
  copy_selection& selection = numbers_.of(partner);
  selection.clear();
  for (const auto& part : to.give)
    select(here, own, part, bounds, selection, [&](const index<D>&, auto&& what) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(what)>, T>)
        p.elements.push_back(std::move(what));
      else
        p.cells.push_back(what);
    });
  return p;
}

template <int D, class T>
void copy_store<D, T>::copy_images(const block_geometry<D>& here, const std::vector<cell<T>>& own,
                                   copy_phase<D>& in) {
  numbers_.images().clear();
  const auto bounds = here.bounds_around(here.own, in.within().distance);
  for (const auto& part : in.within().originals) {
    index<D> around;
    for (int d = 0; d < D; ++d) around[d] = part.wrap[d] * here.domain.cells()[d];
    select(here, own, part, bounds, numbers_.images(), [&](const index<D>& at, auto&& what) {
      const std::size_t slot = in.slot_of(at + around);
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(what)>, T>)
        cells_[slot].push(std::move(what));
      else
        in.note_cell(slot);
    });
  }
}

template <int D, class T>
auto copy_store<D, T>::take(copy_phase<D>& in, std::size_t partner, parcel<T>&& p) -> outcome {
  std::size_t cell = 0, at = 0;
  for (const auto& part : in.within().partners[partner].take)
    for (const auto& c : part.cells) {
      const std::size_t n = cell < p.cells.size() ? p.cells[cell] : 0;
      ++cell;
      const std::size_t slot = in.slot_of(c);
      for (std::size_t i = 0; i < n && at < p.elements.size(); ++i)
        cells_[slot].push(std::move(p.elements[at++]));
      in.note_cell(slot);
    }
  return {cell == p.cells.size() && at == p.elements.size(), cell};
}

template <int D, class T>
void copy_store<D, T>::number(const std::vector<cell<T>>& own, const copy_phase<D>& in) {
  if (numbers_.are_known()) return;
  std::vector<std::size_t> own_counts, copy_counts;
  for (const auto& c : own) own_counts.push_back(c.size());
  for (const auto& p : in.within().partners) {
    std::size_t n = 0;
    for (const auto& part : p.take)
      for (const auto& at : part.cells) n += cells_[in.slot_of(at)].size();
    copy_counts.push_back(n);
  }
  numbers_.assign(own_counts, copy_counts);
}

}  // namespace imbrex::cells::detail
