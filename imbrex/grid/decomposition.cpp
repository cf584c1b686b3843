// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/decomposition.hpp>

#include <imbrex/base/error.hpp>

namespace imbrex::grid::detail {

void throw_uncut(const std::string& extents, const std::string& blocks, int dimension) {
  throw error("a grid of the extents " + extents + " cannot be cut into " + blocks + " blocks: dimension " +
              std::to_string(dimension) + " needs one block or more, each of one cell or more");
}

void throw_wrong_lengths(int dimension, const std::vector<int>& lengths) {
  std::string all;
  for (std::size_t b = 0; b < lengths.size() && b < 10; ++b)
    all += (b == 0 ? "" : ", ") + std::to_string(lengths[b]);
  if (lengths.size() > 10) all += ", ...";
  throw error("the blocks of dimension " + std::to_string(dimension) + " cannot have the lengths {" + all +
              "}: give one or more, each 1 or more, of 2147483647 cells together at most");
}

void throw_no_block(const std::string& block, const std::string& blocks) {
  throw error("the grid has no block " + block + ": it is cut into " + blocks);
}

void throw_no_cell(const std::string& cell, const std::string& extents) {
  throw error("the grid has no cell " + cell + ": its extents are " + extents);
}

}  // namespace imbrex::grid::detail
