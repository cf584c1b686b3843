// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <imbrex/cells/domain.hpp>
#include <imbrex/cells/reach.hpp>
#include <imbrex/core/extension/index.hpp>
#include <imbrex/grid/decomposition.hpp>

namespace imbrex::cells::detail {

/// The cells of one block, and its place among the blocks of a domain.
template <int D>
struct block_geometry {
  index<D> where{};  ///< index of the block
  cells::domain<D> domain;
  grid::decomposition<D> cut;
  grid::box<D> own;

  /// Number of an own cell among those of the block, and the reverse.
  std::size_t number_of(const index<D>& own_cell) const {
    return static_cast<std::size_t>(extension::linear(own.extents, own_cell - own.origin));
  }
  index<D> cell(std::size_t number) const { return own.origin + extension::from_linear(own.extents, number); }
  /// Number of the block that has a cell, and of the cell there.
  struct place {
    std::uint64_t block;
    std::uint32_t cell;
  };
  place place_of(const index<D>& cell) const {
    const index<D> block = cut.block_of(cell);
    const auto there = cut[block];
    return {extension::linear(cut.shape(), block),
            static_cast<std::uint32_t>(extension::linear(there.extents, cell - there.origin))};
  }
  std::uint64_t own_number() const { return extension::linear(cut.shape(), where); }
  std::string block_text(std::uint64_t number) const;
  std::string here_text() const { return imbrex::to_string(where); }

  /// Offset of the positions of an image.
  point<D> shift_of(const index<D>& wrap) const {
    point<D> shift;
    for (int d = 0; d < D; ++d) shift[static_cast<std::size_t>(d)] = wrap[d] * domain.length(d);
    return shift;
  }
  struct bounds {
    point<D> lower, upper;
  };
  /// Box within `width` of a block's box; unlimited beyond open ends.
  bounds bounds_around(const grid::box<D>& of, double width) const;
  /// False if an element at a position belongs to another block, or lies outside of the domain.
  bool may_insert(const point<D>& position) const;
  /// Throws imbrex::error with the reason why an element may not be inserted.
  [[noreturn]] void throw_not_inserted(const std::string& name, const point<D>& position) const;

  void serialize(auto& ar) { ar(where, domain, cut, own); }
};

/// Index among the partners of a reach; their number if the block is none.
template <int D>
std::size_t partner_of(const reach<D>& in, std::uint64_t block);

extern template struct block_geometry<2>;
extern template struct block_geometry<3>;
extern template std::size_t partner_of(const reach<2>&, std::uint64_t);
extern template std::size_t partner_of(const reach<3>&, std::uint64_t);

}  // namespace imbrex::cells::detail
