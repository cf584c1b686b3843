// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/reply_table.hpp>

#include <exception>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void reply_target::found_none(std::uint32_t ordinal) {
  fail(ordinal, carried_exception(std::make_exception_ptr(error("the called element has been destroyed"))));
}

void reply_table::add_slot() {
  if (slots_.empty()) slots_.push_back({nullptr, 0, 0});
  slots_.push_back({nullptr, first_generation_, 0});
  count_ = static_cast<std::uint32_t>(slots_.size());
  free_ = count_ - 1;
}

}  // namespace imbrex::detail
