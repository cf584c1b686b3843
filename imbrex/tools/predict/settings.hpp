// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/tools/tune/arguments.hpp>

namespace imbrex::predict {

/// `--at`: arguments that replace the program's of the same names on a number of nodes.
struct arguments_at {
  int nodes = 0;
  tune::arguments words{};
};

/// `--sweep`: a number of the machine, and its other values.
struct sweep {
  std::string number{};  ///< "link.card"
  std::vector<std::string> values{};
};

/// Settings of `imbrex predict`.
struct settings {
  std::string program{};
  tune::arguments program_arguments{};
  std::string machine{};      ///< `--machine`: name or file of a device model
  int node_pes = 0;           ///< `--node-pes`, or the devices of a node in the model
  std::vector<int> nodes{};   ///< `--nodes`, ascending
  std::vector<int> odf{};     ///< `--odf`; empty: the program has none
  std::string step_option{};  ///< `--steps`: the option that sets the number of steps; empty: whole runs
  int steps = 0;        ///< `--steps`: number of steps of the shorter run; the longer one has twice as many
  std::string phase{};  ///< `--phase`: phase to measure; empty: the run
  std::vector<arguments_at> at{};
  std::vector<sweep> sweeps{};
  bool asks_what_if = true;                       ///< false: `--no-what-if`
  bool executes_all = false;                      ///< `--executed`: no flow is evaluated
  nanoseconds budget = std::chrono::minutes(10);  ///< `--seconds`
  std::string picture{};                          ///< `--svg`; empty: none
  bool json = false;
};

/// Parses the words after `imbrex predict`, or returns the text to print for --help. Throws `usage_error`.
std::variant<settings, std::string> parse_command(std::span<const std::string> words);

}  // namespace imbrex::predict
