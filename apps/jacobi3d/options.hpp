// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/core/options/options.hpp>

#include "apps/jacobi3d/block_field.hpp"
#include "apps/jacobi3d/communication.hpp"
#include "apps/jacobi3d/fusion.hpp"
#include "apps/jacobi3d/overlap.hpp"

namespace jacobi3d {

/// What the command line asks for. Each field is given by the option beside it; the last of several counts.
struct settings {
  imbrex::options machine;           ///< the runtime's options; pes is never 0 here
  int processes = 1;                 ///< of the job, each with so many PEs
  extents grid{128, 128, 128};       ///< `--grid X,Y,Z`: cells
  std::vector<std::int64_t> odf{4};  ///< `--odf N[,N...]`: chares per PE, one configuration for each
  overlap_mode overlap = overlap_mode::automatic;  ///< `--overlap`; odf holds only 1 unless it is automatic
  communication comm = communication::host;        ///< `--comm`; host without a device
  kernel_fusion fusion = kernel_fusion::none;      ///< `--fusion`; none without a device
  bool graphs = false;                             ///< `--graphs`; not with work requests
  std::int64_t iterations = 20;                    ///< `--iters N`: timed iterations
  std::int64_t warmup = 2;                         ///< `--warmup N`: iterations before these
  double tolerance = 0;           ///< `--tolerance E`: stop when no cell changes by as much; 0: never
  std::string init = "hot-face";  ///< `--init`: see initial_values
  imbrex::nanoseconds spin{0};    ///< `--spin TIME`: what an iteration's sweeps of a PE take at least
  bool check = false;             ///< `--check`
  std::string json;               ///< `--json FILE`: empty for none
  bool quiet = false;             ///< `--quiet`
  std::string help;               ///< the text that `--help` asks for; empty if it was not given
};

/// True if blocks give their work to devices as `imbrex::work_request`s, so the runtime's `--streams` says
/// nothing.
bool by_requests(const settings& setup);

/// Reads the program's options and the runtime's, for a job of so many processes. Throws imbrex::usage_error,
/// with the value and the remedy, for unknown options and impossible values.
settings parse_settings(int argc, char** argv, int processes = 1);

}  // namespace jacobi3d
