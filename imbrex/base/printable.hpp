// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace imbrex {

/// Words of arguments and files in a form for terminals: bytes that are not UTF-8 or would move the cursor
/// are escaped: \x1b.
std::string printable(std::string_view words);

/// A text of several lines in a form for terminals: as `printable`, but ends of lines and tabulators stay.
std::string printable_lines(std::string_view text);

/// True if `printable_lines` would not change the text. Needs no memory.
bool is_printable(std::string_view text) noexcept;

}  // namespace imbrex
