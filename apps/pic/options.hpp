// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/run.hpp>

#include "apps/pic/problem.hpp"

namespace pic {

/// The settings of the command line. The comment of a field names its option; the last of repeated options
/// counts.
struct settings {
  imbrex::options machine;  ///< the runtime's options; pes is never 0 here
  int processes = 1;
  /// `--grid N`, `--particles N`, `--k N`, `--m N`, `--distribution WORD`, `--attenuation R`, `--slope A,B`,
  /// `--patch L,R,B,T`
  problem posed;
  std::int64_t steps = 100;              ///< `--steps N`: timed steps
  std::int64_t warmup = 1;               ///< `--warmup N`: steps before them
  std::vector<std::int64_t> odf{8};      ///< `--odf N[,N...]`
  imbrex::nanoseconds particle_time{0};  ///< `--particle-time TIME`
  std::string json;                      ///< `--json FILE`
  bool quiet = false;                    ///< `--quiet`
  std::string help;                      ///< text of `--help` if requested; otherwise empty
};

/// Parses the program's options and the runtime's. Throws imbrex::usage_error, with the value and the remedy.
settings parse_settings(int argc, char** argv);

}  // namespace pic
