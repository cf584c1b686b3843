// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace imbrex {

/// What an options file (`--options FILE`) says.
struct options_file {
  std::vector<std::string> words;  ///< the arguments that take its place, in order
  int processes = 0;               ///< `-n N`, of the launcher: how many the job has; 0 if it does not say
};

/// No list of options is longer; what is, is another file, given by mistake.
inline constexpr std::uintmax_t max_options_file = 1'000'000;

/// Reads a text file of one option a line, with its value in the same line; # begins a comment, and values
/// may be quoted
/// (`command_words`). The last `-n` (also `-n4`) counts. Throws `usage_error`, which names the file and the
/// line, if it cannot be read, is no regular file, has more than `max_options_file` bytes, or a line is
/// something else.
options_file read_options_file(const std::string& file);

}  // namespace imbrex
