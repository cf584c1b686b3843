// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/clock.hpp>
#include <imbrex/error.hpp>
#include <imbrex/options.hpp>

#include "apps/jacobi3d/block_field.hpp"
#include "apps/jacobi3d/communication.hpp"
#include "apps/jacobi3d/fusion.hpp"
#include "apps/jacobi3d/host_waits.hpp"
#include "apps/jacobi3d/hot_blocks.hpp"
#include "apps/jacobi3d/overlap.hpp"

namespace jacobi3d {

/// The settings of the command line. The comment of a field names its option; the last of repeated options
/// counts.
struct settings {
  imbrex::options machine;           ///< the runtime's options; pes is never 0 here
  int processes = 1;                 ///< processes of the job, each with `pes` PEs
  extents grid{128, 128, 128};       ///< `--grid X,Y,Z`: cells
  std::vector<std::int64_t> odf{4};  ///< `--odf N[,N...]`: chares per PE, one configuration for each
  bool prints_estimates = false;     ///< `--odf-estimates`
  bool chooses_odf = false;          ///< `--odf auto`: the factor is chosen by estimates and a trial
  overlap_mode overlap = overlap_mode::automatic;  ///< `--overlap`; odf holds only 1 unless it is automatic
  communication comm = communication::host;        ///< `--comm`; host without a device
  kernel_fusion fusion = kernel_fusion::none;      ///< `--fusion`; none without a device
  host_waits waits = host_waits::needed;           ///< `--waits`; needed without a device
  bool graphs = false;                             ///< `--graphs`; not with work requests
  std::int64_t iterations = 20;                    ///< `--iters N`: timed iterations
  std::int64_t mark = 0;                           ///< `--mark N`; 0: none
  std::int64_t warmup = 2;                         ///< `--warmup N`: iterations before these
  double tolerance = 0;           ///< `--tolerance E`: stop when all changes of cells are smaller; 0: never
  std::string init = "hot-face";  ///< `--init`: see initial_values
  imbrex::nanoseconds spin{0};    ///< `--spin TIME`: minimal time of a PE's sweeps of an iteration
  hot_blocks hot;                 ///< `--hot-blocks N/M`, `--hot-factor N`
  bool check = false;             ///< `--check`
  std::string output;             ///< `--output FILE`: empty for none
  std::string json;               ///< `--json FILE`: empty for none
  bool quiet = false;             ///< `--quiet`
  std::string help;               ///< text of `--help` if requested; otherwise empty
};

/// True if blocks submit work to devices as `imbrex::work_request`s; then the runtime's `--streams` has no
/// effect.
bool by_requests(const settings& setup);

/// Parses the program's options and the runtime's, for a job of `processes` processes. Throws
/// imbrex::usage_error, with the value and the remedy, for unknown options and impossible values.
settings parse_settings(int argc, char** argv, int processes = 1);

}  // namespace jacobi3d
