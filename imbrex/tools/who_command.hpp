// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace imbrex::tools {

/// Settings of `imbrex who` and `imbrex metrics`.
struct who_settings {
  /// A process of a run, or one that has started processes of runs, such as `imbrex run`; none: all of the
  /// user's runs on this host.
  std::optional<pid_t> process;
  bool json = false;
};

/// Reads the words of `imbrex who`: settings, or the help to print. Throws usage_error.
std::variant<who_settings, std::string> parse_who(std::span<const std::string> words);

/// The argument PID of such a command; empty if there is none. Throws usage_error if it is no process id, or
/// one of several.
std::optional<pid_t> process_in(const std::vector<std::string>& words);

/// As `parse_who`, for `imbrex metrics`.
std::variant<who_settings, std::string> parse_metrics(std::span<const std::string> words);

/// Asks processes of runs what they do, and prints their reports. Returns 0, or 1 if a process has not
/// answered. Throws `error` if there is none to ask.
int print_who(const who_settings& settings);

/// Asks processes of runs for figures, and prints them for Prometheus. Otherwise as `print_who`.
int print_metrics(const who_settings& settings);

}  // namespace imbrex::tools
