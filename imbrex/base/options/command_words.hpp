// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex {

/// The words of a line, as a shell would see them: separated by blanks; text in '...' or "..." is literal; a
/// word that begins with # begins a comment. Nothing if a quote is not closed.
std::optional<std::vector<std::string>> command_words(std::string_view line);

/// The values of a list, separated by commas: at least one, and empty ones too.
std::vector<std::string> listed_values(std::string_view list);

/// True if a word of a command line names an option; "-" names the standard input, as a file would be named.
bool is_option_word(std::string_view word);

/// A word as `command_words` and a shell read it, in quotes only if necessary.
std::string quoted_word(std::string_view word);

/// A line that consists of these words, quoted if necessary.
std::string command_line_of(const std::vector<std::string>& words);

}  // namespace imbrex
