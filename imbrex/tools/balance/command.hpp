// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <imbrex/tools/balance/replay.hpp>

namespace imbrex::tools::balance {

/// Settings of `imbrex balance`.
struct settings {
  std::string file;
  std::vector<std::string> strategies;
  other_machine on{};
  std::optional<std::string> html{};  ///< file for the page
  std::optional<int> periods{};       ///< number of periods of a trace
};

/// Parses the words after `imbrex balance`, or returns the text to print for --help. Throws usage_error.
std::variant<settings, std::string> parse_command(std::span<const std::string> words);

/// Replays a record or a trace with each strategy, prints the table, and writes the page on request. Returns
/// the exit status. Throws usage_error if a file cannot be read or written.
int replay_record(const settings& request);

}  // namespace imbrex::tools::balance
