// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace imbrex {

/// What words of arguments and files look like on a terminal: what is no UTF-8 or would move the cursor is
/// escaped, as
/// \x1b.
std::string printable(std::string_view words);

/// The same of a text of several lines: the ends of lines and tabulators stay.
std::string printable_lines(std::string_view text);

/// Whether `printable_lines` would change it. Needs no memory.
bool is_printable(std::string_view text) noexcept;

}  // namespace imbrex
