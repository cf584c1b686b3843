// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/section_reduction.hpp>

#include <algorithm>
#include <string>

#include <imbrex/core/pe/pe_tree.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

int parent_in_section(const processor& pe, int of, std::uint64_t section_id) {
  return place_in_tree(of, pe.root_of_section(section_id), pe.num_pes(), pe.run().host_starts()).parent;
}

int child_in_section(const processor& pe, int towards, std::uint64_t section_id) {
  for (;;) {
    const int above = parent_in_section(pe, towards, section_id);
    if (above == pe.pe()) return towards;
    towards = above;
  }
}

std::string join_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    const bool is_last = i + 1 == names.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + names[i];
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " others";
  return text;
}

}  // namespace imbrex::detail
