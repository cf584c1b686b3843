// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of a cell set that visit pairs of cells.

#include <imbrex/cells/declaration.hpp>

namespace imbrex::cells {

template <int D, class T>
void cell_set<D, T>::prepare_pairs(double distance) {
  if (near_.distance == distance && !by_slot_.empty()) return;
  near_ = {};
  near_.distance = distance;
  near_.layers = domain_.layers(distance);
  index<D> window;
  for (int d = 0; d < D; ++d) window[d] = 2 * near_.layers[d] + 1;
  for (const auto& i : indices(window)) {
    const index<D> offset = i - near_.layers;
    double squared = 0;
    for (int d = 0; d < D; ++d) {
      const double gap =
          std::max(std::abs(offset[d]) - 1, 0) * domain_.cell_width()[static_cast<std::size_t>(d)];
      squared += gap * gap;
    }
    // At open ends, elements outside belong to the outermost cells, and are no closer to other cells than
    // these.
    if (squared >= distance * distance * (1 - 1e-12) && offset != index<D>()) continue;
    std::ptrdiff_t between = 0;
    for (int d = 0; d < D; ++d) between = between * copies_.region.extents[d] + offset[d];
    near_.offsets.push_back(offset);
    near_.distances.push_back(between);
  }
  by_slot_.clear();
  for (const auto& at : copies_.region) by_slot_.push_back(&(*this)[at]);
}

/// Calls `function(cell)` for each cell near an own one, including the own one, until it returns false.
/// Returns true if it never did.
template <int D, class T>
template <class Function>
bool cell_set<D, T>::for_each_neighbour(std::size_t number, Function function) const {
  const index<D> at = own_box_.origin + extension::from_linear(own_box_.extents, number);
  const index<D> inside = at - copies_.region.origin;
  const auto slot = static_cast<std::ptrdiff_t>(extension::linear(copies_.region.extents, inside));
  bool all_are_there = true;
  for (int d = 0; d < D; ++d)
    all_are_there &= inside[d] >= near_.layers[d] && inside[d] + near_.layers[d] < copies_.region.extents[d];
  for (std::size_t k = 0; k < near_.offsets.size(); ++k) {
    if (!all_are_there && !contains(copies_.region.extents, inside + near_.offsets[k])) continue;
    if (!function(*by_slot_[static_cast<std::size_t>(slot + near_.distances[k])])) return false;
  }
  return true;
}

template <int D, class T>
bool cell_set<D, T>::neighbours_are_complete(std::size_t number) const {
  return for_each_neighbour(number, [this](const cell_type& c) { return is_complete(c); });
}

/// Returns the number of pairs of elements.
template <int D, class T>
template <class Visit>
std::size_t cell_set<D, T>::visit_pairs(std::size_t number, Visit& visit, pairs which) {
  auto& own = own_[number];
  if (own.empty()) return 0;
  std::size_t work = 0;
  for_each_neighbour(number, [&](cell_type& other) {
    if (other.empty() || (which == pairs::once && other.is_own() && other.number() < number)) return true;
    work += own.size() * other.size();
    visit(own, other);
    return true;
  });
  return work;
}

template <int D, class T>
template <class Visit>
task<> cell_set<D, T>::for_each_pair(double distance, Visit visit, pairs which) {
  if (!has_halo_) [[unlikely]]
    detail::throw_no_halo();
  if (distance > copies_.distance * (1 + 1e-12)) [[unlikely]]
    detail::throw_narrow(distance, copies_.distance);
  prepare_pairs(distance);
  std::vector<std::uint32_t> rest(own_.size());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = static_cast<std::uint32_t>(i);
  std::size_t work = 0;
  while (true) {
    const std::int64_t seen = news_;
    std::size_t left = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const bool is_ready =
          (!is_moving() && copies_missing_ == 0 && unsent_ == 0) || neighbours_are_complete(rest[i]);
      if (!is_ready) {
        rest[left++] = rest[i];
        continue;
      }
      work += visit_pairs(rest[i], visit, which);
      if (work < turn) continue;
      work = 0;
      co_await give_way();
    }
    rest.resize(left);
    if (left == 0) break;
    co_await detail::plain_wait(*this, {condition::kind::news, seen, 0});
  }
  // The rest concerns no pair of this block, or only other blocks, and is still in flight.
  co_await detail::plain_wait(*this, {condition::kind::cached_all, caching_, 0});
}

}  // namespace imbrex::cells
