// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace imbrex {

/// The width of a help in columns.
inline constexpr std::size_t help_width = 100;

/// A text in lines of at most `help_width` columns, where its words allow that; ends of lines in the text
/// stay. The first line begins at `column`, and the others are indented by `indent` blanks. The last line has
/// no end.
std::string wrapped(std::string_view text, std::size_t column = 0, std::size_t indent = 0);

}  // namespace imbrex
