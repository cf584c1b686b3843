// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/harness/decomposition.hpp"
#include "apps/pic/options.hpp"
#include "apps/pic/tile.hpp"

namespace pic {

struct measurement {
  std::int64_t odf = 1;
  harness::decomposition cut{};
  std::int64_t particles = 0;  ///< in the beginning
  double seconds = 0;          ///< duration of the timed steps, in simulated time on a simulated machine
  summary last;

  /// No particle was lost, came twice, or went astray.
  bool is_right() const {
    return last.misplaced == 0 && last.particles == particles &&
           last.sum_of_numbers == particles * (particles + 1) / 2;
  }
};

/// The tiles for an overdecomposition factor. Throws imbrex::usage_error if there are more than cells allow.
harness::decomposition tiles_for(const settings& setup, std::int64_t odf);

/// Runs the problem on a new machine. Returns the runtime's exit status, 0 on success. All processes of a job
/// take part; only the first one sets `result`.
int measure(const settings& setup, std::int64_t odf, measurement& result);

}  // namespace pic
