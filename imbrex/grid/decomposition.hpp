// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/name/indices.hpp>
#include <imbrex/grid/box.hpp>

namespace imbrex::grid {
namespace detail {

[[noreturn]] void throw_uncut(const std::string& extents, const std::string& blocks, int dimension);
[[noreturn]] void throw_wrong_lengths(int dimension, const std::vector<int>& lengths);
[[noreturn]] void throw_no_block(const std::string& block, const std::string& blocks);
[[noreturn]] void throw_no_cell(const std::string& cell, const std::string& extents);

}  // namespace detail

/// Partition of a grid into blocks, by planes: one block for each element of an array. A message may carry
/// it.
template <int N>
class decomposition {
 public:
  /// A decomposition of no cells.
  decomposition() = default;

  /// Equal parts: blocks differ by at most one cell in each dimension, and the larger ones come first.
  /// `shape` is the array's shape. Throws imbrex::error unless each block has a cell. O(blocks along the
  /// sides).
  decomposition(const index<N>& extents, const index<N>& shape) {
    for (int d = 0; d < N; ++d) {
      if (shape[d] < 1 || extents[d] < shape[d]) detail::throw_uncut(to_string(extents), to_string(shape), d);
      auto& starts = starts_[static_cast<std::size_t>(d)];
      starts.reserve(static_cast<std::size_t>(shape[d]) + 1);
      const int each = extents[d] / shape[d], larger = extents[d] % shape[d];
      for (int b = 0; b <= shape[d]; ++b) starts.push_back(b * each + std::min(b, larger));
    }
  }

  /// Parts of any lengths: for each dimension the cells of its blocks, one after the other. Throws
  /// imbrex::error if a dimension has no blocks, or a block no cells. Throws also if a dimension has more
  /// cells than an int counts.
  explicit decomposition(const std::array<std::vector<int>, static_cast<std::size_t>(N)>& lengths) {
    for (int d = 0; d < N; ++d) {
      const auto& block_lengths = lengths[static_cast<std::size_t>(d)];
      auto& starts = starts_[static_cast<std::size_t>(d)];
      starts.push_back(0);
      for (const int length : block_lengths) {
        int end = 0;
        if (length < 1 || __builtin_add_overflow(starts.back(), length, &end))
          detail::throw_wrong_lengths(d, block_lengths);
        starts.push_back(end);
      }
      if (block_lengths.empty()) detail::throw_wrong_lengths(d, block_lengths);
    }
  }

  /// Extents of the whole grid.
  index<N> extents() const {
    return of_each([](const auto& starts) { return starts.empty() ? 0 : starts.back(); });
  }
  /// Number of blocks in each dimension.
  index<N> shape() const {
    return of_each(
        [](const auto& starts) { return starts.empty() ? 0 : static_cast<int>(starts.size()) - 1; });
  }
  /// Smallest number of cells of a block, separately for each dimension. O(blocks along the sides).
  index<N> least() const {
    return of_each([](const auto& starts) {
      int least = starts.empty() ? 0 : starts[1];
      for (std::size_t b = 1; b < starts.size(); ++b) least = std::min(least, starts[b] - starts[b - 1]);
      return least;
    });
  }

  /// Cells of a block. Throws imbrex::error if there is no such block.
  box<N> operator[](const index<N>& block) const {
    if (!contains(shape(), block)) [[unlikely]]
      detail::throw_no_block(to_string(block), to_string(shape()));
    box<N> its;
    for (int d = 0; d < N; ++d) {
      const auto* const start = starts_[static_cast<std::size_t>(d)].data() + block[d];
      its.origin[d] = start[0];
      its.extents[d] = start[1] - start[0];
    }
    return its;
  }
  /// Block that has a cell. Throws imbrex::error if the grid has no such cell. O(log blocks).
  index<N> block_of(const index<N>& cell) const {
    if (!contains(extents(), cell)) [[unlikely]]
      detail::throw_no_cell(to_string(cell), to_string(extents()));
    index<N> block;
    for (int d = 0; d < N; ++d) {
      const auto& starts = starts_[static_cast<std::size_t>(d)];
      block[d] =
          static_cast<int>(std::upper_bound(starts.begin(), starts.end(), cell[d]) - starts.begin()) - 1;
    }
    return block;
  }

  bool operator==(const decomposition&) const = default;
  void serialize(auto& ar) { ar(starts_); }

 private:
  template <class Function>
  index<N> of_each(Function function) const {
    index<N> all;
    for (int d = 0; d < N; ++d) all[d] = function(starts_[static_cast<std::size_t>(d)]);
    return all;
  }

  /// First cells of the blocks, and the end, by dimension.
  std::array<std::vector<int>, static_cast<std::size_t>(N)> starts_;
};

template <int N>
decomposition(const index<N>&, const index<N>&) -> decomposition<N>;

}  // namespace imbrex::grid
