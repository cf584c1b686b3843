// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "apps/harness/check.hpp"
#include "apps/sweep/balance.hpp"
#include "apps/sweep/plan.hpp"
#include "apps/sweep/reference.hpp"

namespace sweep {

/// The results of a configuration.
struct measurement {
  std::int64_t iterations = 0;  ///< timed ones; fewer than requested if the tolerance was reached
  double seconds_per_iteration = 0;
  double residual = 0;  ///< greatest change of a cell in the last iteration
  particle_balance balance{};
  std::uint64_t checksum = 0;                  ///< checksum of all cells
  std::optional<harness::comparison> check{};  ///< with --check
};

/// Runs a configuration on a new machine. Without `serial`, which may be null, there is no comparison.
/// Returns the runtime's exit status, 0 on success. All processes of a job take part; only the first one sets
/// `result`.
int measure(const settings& setup, const configuration& chosen, serial_solver* serial, measurement& result);

}  // namespace sweep
