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

/// What a configuration has come to. Times are medians of several stretches of iterations, each of which has
/// a stretch of the plain loop beside it; in simulated time, which does not vary, there is one stretch.
struct measurement {
  std::int64_t iterations = 0;  ///< timed ones; fewer than asked for where the tolerance was met
  double seconds_per_iteration = 0;
  std::optional<double> ratio;  ///< speed of the blocks divided by the plain loop's, where one ran beside
  std::optional<double> residual{};  ///< greatest change of a cell in the last iteration; none with --no-data
  std::optional<std::uint64_t> checksum{};  ///< of all cells; none with --no-data
  std::optional<comparison> check;          ///< with --check
};

/// Is told the finished part of a configuration's work, 0 to 1.
using progress_listener = std::function<void(double)>;

/// The serial loop, which goes on from where the last configuration left it.
class serial_rival {
 public:
  serial_rival(const extents& grid, const initial_values& values) : grid_(grid, values) {}

  /// The grid after that many iterations, which never become fewer.
  const serial_grid& after(std::int64_t iterations);

 private:
  serial_grid grid_;
  std::int64_t iterations_ = 0;
};

/// Runs a configuration on a machine of its own. Without `plain` there is no ratio, without `serial` nothing
/// is compared; either may be null. Returns the runtime's exit status, 0 if all went well. In a process other
/// than the first of its job it only takes part, and `result` stays as it is.
int measure(const settings& setup, const configuration& chosen, plain_loop* plain, serial_rival* serial,
            const progress_listener& listener, measurement& result);

}  // namespace jacobi3d
