// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "apps/jacobi3d/initial_values.hpp"
#include "apps/jacobi3d/stencil.hpp"

namespace jacobi3d {

/// The reference for the overdecomposed program: one field for the whole grid and the same kernel, swept by a
/// few threads. Each thread has a slab of planes, and all meet at a spinning barrier after each iteration. It
/// has no messages and no runtime.
class plain_loop {
 public:
  /// Needs at least 1 thread. Throws std::bad_alloc.
  plain_loop(const extents& grid, const initial_values& values, int threads);

  struct outcome {
    double seconds;  ///< time of the iterations alone
    double change;   ///< greatest change of a cell in the last iteration; 0 unless requested
  };
  /// Starts the threads (the caller is one of them), iterates, and ends them. With `change` every iteration
  /// computes the greatest change, as a run with a tolerance does. Throws std::system_error if a thread
  /// cannot be started.
  outcome run(std::int64_t iterations, bool change);

  const block_field& field() const { return field_; }

 private:
  block_field field_;
  int threads_;
  store_policy stores_;
};

}  // namespace jacobi3d
