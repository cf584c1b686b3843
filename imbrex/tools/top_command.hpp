// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <variant>

namespace imbrex::tools {

/// Settings of `imbrex top`.
struct top_settings {
  std::optional<pid_t> process;  ///< as in `who_settings`
  int times = 0;                 ///< pages to print; 0: until the runs end
};

/// Reads the words of `imbrex top`: settings, or the help to print. Throws usage_error.
std::variant<top_settings, std::string> parse_top(std::span<const std::string> words);

/// Asks processes of runs each second what they do, and prints a page each time. Returns 0 when none is left.
/// Throws `error` if there is none at the beginning.
int show_top(const top_settings& settings);

}  // namespace imbrex::tools
