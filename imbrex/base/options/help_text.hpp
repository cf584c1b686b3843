// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace imbrex {

/// The columns of a help.
inline constexpr std::size_t help_width = 100;

/// A text in lines of at most `help_width` columns, where its words allow that; an end of a line in it stays.
/// The first line begins at `column`, and the others are indented by `indent` blanks. Without an end of the
/// last line.
std::string wrapped(std::string_view text, std::size_t column = 0, std::size_t indent = 0);

}  // namespace imbrex
