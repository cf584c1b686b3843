// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>

#include <imbrex/tools/flow/loggops.hpp>

namespace imbrex::tools {

/// Settings of `imbrex simulate`.
struct simulate_settings {
  std::string file{};     ///< a recorded flow, or a schedule in GOAL
  std::string machine{};  ///< `--machine`; empty: the one of the recorded run
  loggops parameters{};   ///< `--loggops`, for GOAL
  bool json = false;
};

/// Parses the words after `imbrex simulate`, or returns the text to print for --help. Throws `usage_error`.
std::variant<simulate_settings, std::string> parse_simulate(std::span<const std::string> words);

/// Prints the time of the file's run on the machine. Returns the exit status.
int simulate(const simulate_settings& request);

}  // namespace imbrex::tools
