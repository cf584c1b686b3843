// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/reply_table.hpp>

namespace imbrex::detail {

void reply_table::add_slot() {
  slots_.push_back({nullptr, 1, 0});
  free_ = static_cast<std::uint32_t>(slots_.size());
}

}  // namespace imbrex::detail
