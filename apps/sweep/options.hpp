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

/// The settings of the command line. The comment of a field names its option; the last of repeated options
/// counts.
struct settings {
  imbrex::options machine;  ///< the runtime's options; pes is never 0 here
  int processes = 1;        ///< processes of the job, each with `pes` PEs
  /// `--grid X,Y,Z`, `--angles-per-octant N`, `--planes N` and `--angles N`
  problem posed{.grid = {64, 64, 64}, .angles_per_octant = 6, .planes = 8, .angles = 3};
  std::vector<std::int64_t> odf{1};  ///< `--odf N[,N...]`: chares per PE, one configuration for each
  /// `--chares X,Y`: one configuration; then odf is ignored
  std::optional<std::array<std::int64_t, 2>> chares{};
  std::int64_t iterations = 4;  ///< `--iters N`: timed iterations
  std::int64_t warmup = 1;      ///< `--warmup N`: iterations before these
  double tolerance = 0;         ///< `--tolerance E`: stop when all changes of cells are smaller; 0: never
  imbrex::nanoseconds spin{0};  ///< `--spin TIME`: minimal time of a step
  bool check = false;           ///< `--check`
  std::string json;             ///< `--json FILE`: empty for none
  bool quiet = false;           ///< `--quiet`
  std::string help;             ///< text of `--help` if requested; otherwise empty
};

/// Parses the program's options and the runtime's. Throws imbrex::usage_error, with the value and the remedy,
/// for unknown options and impossible values.
settings parse_settings(int argc, char** argv);

}  // namespace sweep
