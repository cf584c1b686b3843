// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "apps/harness/check.hpp"
#include "apps/sweep/balance.hpp"
#include "apps/sweep/plan.hpp"
#include "apps/sweep/reference.hpp"

namespace sweep {

/// What a configuration has come to.
struct measurement {
  std::int64_t iterations = 0;  ///< timed ones; fewer than asked for where the tolerance was met
  double seconds_per_iteration = 0;
  double residual = 0;  ///< greatest change of a cell in the last iteration
  particle_balance balance{};
  std::uint64_t checksum = 0;                  ///< of all cells
  std::optional<harness::comparison> check{};  ///< with --check
};

/// Runs a configuration on a machine of its own. Without `serial`, which may be null, nothing is compared.
/// Returns the runtime's exit status, 0 if all went well. In a process other than the first of its job it
/// only takes part, and `result` stays as it is.
int measure(const settings& setup, const configuration& chosen, serial_solver* serial, measurement& result);

}  // namespace sweep
