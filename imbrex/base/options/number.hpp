// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace imbrex {

/// The number that a whole text represents in decimal, without blanks or a plus; nothing if it has another
/// form or does not fit. A floating-point T also takes "inf" and "nan".
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

}  // namespace imbrex
