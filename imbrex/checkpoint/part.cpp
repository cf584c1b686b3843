// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/part.hpp>

#include <array>
#include <cstddef>

namespace imbrex::checkpoints {

const char* name_of(section_kind kind) {
  static constexpr std::array<const char*, section_kinds> names{"array",   "group",         "single",
                                                                "section", "process group", "value"};
  const auto number = static_cast<std::size_t>(kind);
  return number < names.size() ? names[number] : "unknown kind";
}

}  // namespace imbrex::checkpoints
