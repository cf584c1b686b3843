// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <imbrex/core/name/indices.hpp>

namespace imbrex::grid {

/// Cells of a grid that form a box: from `origin` on, `extents` in each dimension. It is a range of their
/// indices, in order, the last dimension fastest: `for (const auto [i, j, k] : box)`.
template <int N>
struct box {
  index<N> origin{};  ///< first cell
  index<N> extents{};

  /// Visits the cells; the last dimension varies fastest.
  class iterator {
   public:
    using value_type = index<N>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using reference = index<N>;
    using pointer = void;

    constexpr iterator() = default;
    constexpr index<N> operator*() const { return origin_ + *at_; }
    constexpr iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    constexpr bool operator==(const iterator& other) const { return at_ == other.at_; }

   private:
    friend box;
    constexpr iterator(const index<N>& origin, typename indices<N>::iterator at) : origin_(origin), at_(at) {}

    index<N> origin_;
    typename indices<N>::iterator at_;
  };

  constexpr iterator begin() const { return {origin, indices(extents).begin()}; }
  constexpr iterator end() const { return {origin, indices(extents).end()}; }
  /// Number of cells. O(N), as all of these functions.
  constexpr std::uint64_t size() const { return indices(extents).size(); }
  constexpr bool empty() const { return size() == 0; }
  /// True if the cell is in the box.
  constexpr bool contains(const index<N>& cell) const { return imbrex::contains(extents, cell - origin); }
  constexpr bool operator==(const box&) const = default;
};

/// Box without the outermost `width` layers of each dimension. For a block, these are the cells that a
/// stencil of that width can compute without ghost cells. Empty if there are no others.
template <int N>
constexpr box<N> inner(const box<N>& all, const index<N>& width) {
  box<N> rest = all;
  for (int d = 0; d < N; ++d) {
    rest.origin[d] += width[d];
    rest.extents[d] -= 2 * width[d];
    if (rest.extents[d] < 0) rest.extents[d] = 0;
  }
  return rest;
}

/// Cells of `all` that are not in `inner(all, width)`, as boxes that do not overlap: at most two per
/// dimension.
template <int N>
std::vector<box<N>> rim(const box<N>& all, const index<N>& width) {
  if (inner(all, width).empty()) return {all};
  std::vector<box<N>> parts;
  box<N> rest = all;
  for (int d = 0; d < N; ++d) {
    if (width[d] == 0) continue;
    box<N> part = rest;
    part.extents[d] = width[d];
    parts.push_back(part);
    part.origin[d] = rest.origin[d] + rest.extents[d] - width[d];
    parts.push_back(part);
    rest.origin[d] += width[d];
    rest.extents[d] -= 2 * width[d];
  }
  return parts;
}

}  // namespace imbrex::grid
