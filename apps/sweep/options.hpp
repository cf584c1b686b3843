// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "apps/sweep/problem.hpp"

namespace sweep {

/// What the command line asks for. Each field is given by the option beside it; the last of several counts.
struct settings {
  imbrex::options machine;  ///< the runtime's options; pes is never 0 here
  int processes = 1;        ///< of the job, each with so many PEs
  /// `--grid X,Y,Z`, `--angles-per-octant N`, `--planes N` and `--angles N`
  problem posed{.grid = {64, 64, 64}, .angles_per_octant = 6, .planes = 8, .angles = 3};
  std::vector<std::int64_t> odf{1};  ///< `--odf N[,N...]`: chares per PE, one configuration for each
  /// `--chares X,Y`: one configuration, whatever odf says
  std::optional<std::array<std::int64_t, 2>> chares{};
  std::int64_t iterations = 4;  ///< `--iters N`: timed iterations
  std::int64_t warmup = 1;      ///< `--warmup N`: iterations before these
  double tolerance = 0;         ///< `--tolerance E`: stop when no cell changes by as much; 0: never
  imbrex::nanoseconds spin{0};  ///< `--spin TIME`: what a step takes at least
  bool check = false;           ///< `--check`
  std::string json;             ///< `--json FILE`: empty for none
  bool quiet = false;           ///< `--quiet`
  std::string help;             ///< the text that `--help` asks for; empty if it was not given
};

/// Reads the program's options and the runtime's. Throws imbrex::usage_error, with the value and the remedy,
/// for unknown options and impossible values.
settings parse_settings(int argc, char** argv);

}  // namespace sweep
