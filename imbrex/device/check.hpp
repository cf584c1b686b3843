// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace imbrex::detail {

/// Writes the text to the standard error output and aborts.
[[noreturn]] void refuse_misuse(std::string_view text) noexcept;

/// Aborts with the text if `holds` is false and assertions are enabled. For misuse after which a program
/// cannot continue: use of a moved buffer, or the end of a device before its objects.
inline void require([[maybe_unused]] bool holds, [[maybe_unused]] std::string_view text) noexcept {
#ifndef NDEBUG
  if (!holds) refuse_misuse(text);
#endif
}

}  // namespace imbrex::detail
