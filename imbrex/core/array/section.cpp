// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/section.hpp>

#include <algorithm>

#include <imbrex/core/pe/pe_tree.hpp>

namespace imbrex::detail {

std::vector<std::size_t> section_parts(std::size_t before, std::size_t behind) {
  std::vector<std::size_t> ends;
  const std::size_t all = before + behind;
  const std::size_t parts = std::min<std::size_t>(all, tree_place::arity);
  if (parts == 0) return ends;
  std::size_t parts_before = (parts * before + all / 2) / all;
  if (before > 0 && behind > 0) parts_before = std::clamp<std::size_t>(parts_before, 1, parts - 1);
  parts_before = std::min(std::max(parts_before, parts - std::min(parts, behind)), before);
  const std::size_t parts_behind = parts - parts_before;
  for (std::size_t p = 1; p <= parts_before; ++p) ends.push_back(before * p / parts_before);
  for (std::size_t p = 1; p <= parts_behind; ++p) ends.push_back(before + behind * p / parts_behind);
  return ends;
}

}  // namespace imbrex::detail
