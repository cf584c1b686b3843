// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "apps/harness/check.hpp"
#include "apps/jacobi3d/plain_loop.hpp"
#include "apps/jacobi3d/plan.hpp"
#include "apps/jacobi3d/reference.hpp"
#include "apps/jacobi3d/stretches.hpp"

namespace jacobi3d {

/// The results of a configuration. Times are medians of several series of iterations, each next to a series
/// of the plain loop. In simulated time, which does not vary, there is one series.
struct measurement {
  std::int64_t iterations = 0;  ///< timed ones; fewer than requested if the tolerance was reached
  double seconds_per_iteration = 0;
  std::optional<double> seconds_per_iteration_to_mark{};  ///< mean of the first ones, with --mark
  std::optional<double> ratio;              ///< speed of the blocks divided by the plain loop's, if it ran
  std::optional<double> residual{};         ///< greatest change in the last iteration; empty with --no-data
  std::optional<std::uint64_t> checksum{};  ///< checksum of all cells; empty with --no-data
  std::optional<comparison> check;          ///< with --check
};

/// Receives the finished fraction of a configuration's work, 0 to 1.
using progress_listener = std::function<void(double)>;

/// The serial loop, which continues from its state after the last configuration.
class serial_rival {
 public:
  serial_rival(const extents& grid, const initial_values& values) : grid_(grid, values) {}

  /// The grid after that many iterations, a number that never decreases.
  const serial_grid& after(std::int64_t iterations);

 private:
  serial_grid grid_;
  std::int64_t iterations_ = 0;
};

/// Runs a configuration on a new machine. Without `plain` there is no ratio, without `serial` no comparison;
/// either may be null. Returns the runtime's exit status, 0 on success. All processes of a job take part;
/// only the first one sets `result`.
int measure(const settings& setup, const configuration& chosen, plain_loop* plain, serial_rival* serial,
            const progress_listener& listener, measurement& result);

}  // namespace jacobi3d
