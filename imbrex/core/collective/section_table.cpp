// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collective/section_table.hpp>

namespace imbrex::detail {

int root_of_section(const processor& pe, std::uint64_t id) {
  const std::uint64_t root = id >> section_bits;
  if (root >= static_cast<std::uint64_t>(pe.num_pes())) throw_of_another_run("section", root);
  return static_cast<int>(root);
}

}  // namespace imbrex::detail
