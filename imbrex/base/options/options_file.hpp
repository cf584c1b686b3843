// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace imbrex {

/// The content of an options file (`--options FILE`).
struct options_file {
  std::vector<std::string> words;  ///< arguments that replace the option, in order
  int processes = 0;               ///< `-n N` for the launcher: number of processes of the job; 0 if missing
};

/// Limit of the size; a longer file is no list of options, but was given by mistake.
inline constexpr std::uintmax_t max_options_file = 1'000'000;

/// Reads a text file of one option a line, with its value in the same line; # begins a comment, and values
/// may be quoted (`command_words`). The last `-n` (also `-n4`) counts. Throws `usage_error` if the file
/// cannot be read, is no regular file, has more than `max_options_file` bytes, or has an invalid line. The
/// text names the file and the line.
options_file read_options_file(const std::string& file);

}  // namespace imbrex
