// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/reply_table.hpp>

#include <exception>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void reply_target::found_none(std::uint32_t ordinal) {
  fail(ordinal,
       carried_exception(std::make_exception_ptr(error("the element that was asked has been destroyed"))));
}

void reply_table::add_slot() {
  slots_.push_back({nullptr, first_generation_, 0});
  free_ = static_cast<std::uint32_t>(slots_.size());
}

}  // namespace imbrex::detail
