// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace imbrex::detail {

/// Says the text on the standard error output and aborts.
[[noreturn]] void refuse_misuse(std::string_view text) noexcept;

/// Where assertions are on, aborts with the text if `holds` is false. For misuse that a program cannot go on
/// after: a buffer that was moved from, a device that goes before what it made.
inline void require([[maybe_unused]] bool holds, [[maybe_unused]] std::string_view text) noexcept {
#ifndef NDEBUG
  if (!holds) refuse_misuse(text);
#endif
}

}  // namespace imbrex::detail
