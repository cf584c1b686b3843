// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// A point of a run on a machine of one thread: its time, or the number of its events so far. The other one
/// is 0.
struct machine_moment {
  nanoseconds time{0};
  std::uint64_t events = 0;

  /// "3.2s", or "event 5000".
  std::string text() const;
};

/// The death of a PE. All PEs end, as a job does whose process dies; then the run begins anew from its newest
/// checkpoint.
struct fault {
  int pe = 0;
  machine_moment when{};
  int pes = 0;  ///< number of PEs from then on; 0: as many as before
};

/// `--fault`: the faults of a run on the deterministic or the simulated machine.
struct fault_settings {
  /// Faults at exponentially distributed distances, on PEs by chance.
  struct random_faults {
    std::uint64_t seed = 0;
    machine_moment mean{};  ///< mean distance
    int least_pes = 0;      ///< least and greatest number of PEs after a fault; 0: as many as before
    int most_pes = 0;
  };

  std::vector<fault> listed{};  ///< in the order in which they happen
  std::optional<random_faults> random{};

  // Set for each run between two faults.
  std::optional<fault> next{};
  machine_moment begin{};  ///< the moment at which the run begins: that of the fault before

  bool any() const { return !listed.empty() || random; }
};

/// Reads "pe 17 at 3.2s", "pe 17 at event 5000, pes 12; pe 3 at event 9000", "seed 7 every 3s" or
/// "seed 7 every 5000 events, pes 1..7". Throws usage_error with the wrong part.
fault_settings parse_faults(std::string_view option, std::string_view text);

}  // namespace imbrex
