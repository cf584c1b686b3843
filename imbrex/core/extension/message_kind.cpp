// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/message_kind.hpp>

namespace imbrex::extension {

bool is_message_without(const detail::work_type* type, std::string_view text) {
  const message_kind* const kind = detail::message_table::find(type);
  return kind != nullptr && kind->spelling.find(text) == std::string_view::npos;
}

}  // namespace imbrex::extension
